/// Text from outside on its way to a terminal or into a mail.
enum PrintableText {
  /// The text without anything that drives a terminal, ends the line, hides or turns letters round:
  /// such characters are shown as escapes. Of more than `limit` characters the last ones stay, behind
  /// `…`.
  static func line(_ text: String, limit: Int) -> String {
    var reversed: [Unicode.Scalar] = []
    // From the end, so that a text of any length costs no more than what is shown of it.
    for scalar in text.unicodeScalars.reversed() {
      if reversed.count > limit { break }
      if isShown(scalar) {
        reversed.append(scalar)
      } else {
        reversed += scalar.escaped(asASCII: true).unicodeScalars.reversed()
      }
    }
    if reversed.count > limit {
      reversed.removeLast(reversed.count - limit + 1)
      reversed.append("…")
    }
    var line = ""
    line.unicodeScalars.append(contentsOf: reversed.reversed())
    return line
  }

  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
      .unassigned, .nonspacingMark, .enclosingMark, .spacingMark:
      false
    default: true
    }
  }
}
