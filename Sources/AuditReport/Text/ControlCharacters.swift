internal import Basics

/// Characters that control a terminal, and the form in which they are shown instead.
enum ControlCharacters {
  /// Returns whether a text has any (Unicode category Cc: C0, DEL, C1).
  static func areIn(_ text: String) -> Bool {
    var previous: UInt8 = 0
    for byte in text.utf8 {
      if byte < 0x20 || byte == 0x7F { return true }
      // C1 is U+0080 to U+009F: C2 80 to C2 9F.
      if previous == 0xC2, byte < 0xA0 { return true }
      previous = byte
    }
    return false
  }

  /// Returns the text with each of them shown as `\u001b` and the like.
  static func shown(_ text: String) -> String {
    var shown = ""
    for scalar in text.unicodeScalars {
      if scalar.properties.generalCategory == .control {
        shown += OneLine.escape(scalar)
      } else {
        shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }
}
