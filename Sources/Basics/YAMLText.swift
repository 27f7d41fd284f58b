/// Texts as YAML scalars.
package enum YAMLText {
  /// Returns whether a text can be one line of a pipeline file as it is.
  package static func isPlainLine(_ text: String) -> Bool {
    var last: Unicode.Scalar?
    return text.unicodeScalars.allSatisfy { scalar in
      let opens = last == "$" && scalar == "{"
      last = scalar
      return !opens && canStand(scalar)
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

  /// Returns a scalar in single quotes, or in double quotes with escapes if it cannot be in a line as it is.
  package static func quoted(_ text: String) -> String {
    guard !isPlainLine(text) else { return "'" + text.replacing("'", with: "''") + "'" }
    let quoted = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      .replacing("${", with: "\\x24{")
    return "\"" + quoted.replacing({ !canStand($0) }, escape) + "\""
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": return "\\n"
    case "\t": return "\\t"
    default:
      let digits = String(scalar.value, radix: 16, uppercase: true)
      let (mark, width) = scalar.value < 0x100 ? ("\\x", 2) : ("\\U", 8)
      return mark + String(repeating: "0", count: width - digits.count) + digits
    }
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
