/// Texts as YAML scalars.
package enum YAMLText {
  /// Returns whether a text can be one line of a pipeline file, printable but for `besides`.
  package static func isPlainLine(_ text: String, besides: [Unicode.Scalar] = []) -> Bool {
    var last: Unicode.Scalar?
    return text.unicodeScalars.allSatisfy { scalar in
      let opens = last == "$" && scalar == "{"
      last = scalar
      return !opens && (canStand(scalar) || besides.contains(scalar))
    }
  }

  /// Returns a text for a comment. Characters that cannot be in a line are shown as escapes.
  package static func comment(_ text: String) -> String {
    text.replacing({ !canStand($0) }, { $0.escaped(asASCII: true) })
  }

  private static func canStand(_ scalar: Unicode.Scalar) -> Bool {
    if ControlCharacters.contains(scalar) { return false }
    return switch scalar.properties.generalCategory {
    case .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
    default: scalar.value != 0xFEFF
    }
  }

  /// Returns a scalar that reads as `text`: plain if that is safe, or else in single quotes.
  package static func scalar(_ text: String) -> String {
    isPlain(text) ? text : quoted(text)
  }

  /// Characters that a scalar in double quotes can hold, each with its escape.
  static let escapes: [(character: Character, text: String)] = [
    ("\n", "\\n"), ("\t", "\\t"), ("\u{1E}", "\\x1E"),
  ]

  /// Returns a scalar in single quotes, or in double quotes if it has characters that need them.
  package static func quoted(_ text: String) -> String {
    guard text.contains(where: { character in escapes.contains { $0.character == character } })
    else { return "'" + text.replacing("'", with: "''") + "'" }
    var quoted = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    for (character, escape) in escapes {
      quoted = quoted.replacing(String(character), with: escape)
    }
    return "\"" + quoted + "\""
  }

  /// Words that YAML does not take for text.
  private static let reserved: Set<String> = [
    "true", "false", "null", "yes", "no", "on", "off", "y", "n",
  ]

  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.utf8.first, !reserved.contains(text.lowercased()) else { return false }
    let isLetter = (0x41...0x5A).contains(first) || (0x61...0x7A).contains(first)
    // A text like `2xx` is not a number to YAML.
    let isStatusClass = text.count == 3 && text.hasSuffix("xx")
    guard isLetter || first == UInt8(ascii: "/") || isStatusClass else { return false }
    return text.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "/._-~".utf8.contains(byte)
    }
  }
}
