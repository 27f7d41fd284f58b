/// Text from outside on its way to a terminal or into a mail.
package enum PrintableText {
  /// Returns the text, and of one of more than `limit` characters the first ones in front of `…`.
  package static func beginning(_ text: String, limit: Int) -> String {
    var shown = ""
    var count = 0
    for scalar in text.unicodeScalars {
      let piece = isShown(scalar) ? String(scalar) : ControlCharacters.escape(scalar)
      count += piece.unicodeScalars.count
      guard count <= limit else { return shown + "…" }
      shown += piece
    }
    return shown
  }

  /// Returns the text without anything that drives a terminal, ends the line, hides or turns
  /// letters round: such characters are shown as `\u001b`. Of more than `limit` characters the last
  /// ones stay, behind `…`.
  package static func line(_ text: String, limit: Int) -> String {
    var reversed: [Unicode.Scalar] = []
    // From the end, so that a text of any length costs no more than what is shown of it.
    for scalar in text.unicodeScalars.reversed() {
      if reversed.count > limit { break }
      if isShown(scalar) {
        reversed.append(scalar)
      } else {
        reversed += ControlCharacters.escape(scalar).unicodeScalars.reversed()
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
