internal import Basics

package enum ShellText {
  /// Returns a command as a message contains it: it is not broken into lines.
  package static func command(_ text: String) -> String {
    text.replacing(" ", with: String(TextWrap.joint))
  }

  /// Returns a path as one word of a POSIX shell that is no option. `-` stays standard input.
  package static func quoted(_ path: String) -> String {
    let isPlain = path.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "/._-+:@%,=".utf8.contains(byte)
    }
    let text = path.hasPrefix("-") && path != "-" ? "./" + path : path
    if ControlCharacters.areIn(text) {
      // A shell reads them as they are shown.
      let escaped = text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
      return "$'" + ControlCharacters.shown(escaped) + "'"
    }
    return isPlain && !path.isEmpty ? text : "'" + text.replacing("'", with: "'\\''") + "'"
  }
}
