internal import Basics

/// Text from outside, in a form that is safe on a terminal or in a mail.
package enum PrintableText {
  /// Returns the text, or its first `limit` characters followed by `…`.
  package static func beginning(_ text: String, limit: Int) -> String {
    var shown = ""
    var count = 0
    for scalar in text.unicodeScalars {
      let piece = isShown(scalar) ? String(scalar) : OneLine.escape(scalar)
      count += piece.unicodeScalars.count
      guard count <= limit else { return shown + "…" }
      shown += piece
    }
    return shown
  }

  /// Returns the text on one line, controls as `\u001b`, of more than `limit` characters the last ones after `…`.
  package static func line(_ text: String, limit: Int) -> String {
    var reversed: [Unicode.Scalar] = []
    // From the end, so that a text of any length costs no more than the shown part.
    for scalar in text.unicodeScalars.reversed() {
      if reversed.count > limit { break }
      if isShown(scalar) {
        reversed.append(scalar)
      } else {
        reversed += OneLine.escape(scalar).unicodeScalars.reversed()
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

  /// Returns `logs/a.jsonl:12`, without a line 0, of a long name the last `limit` characters after `…`.
  package static func place(_ source: String, line: UInt64, limit: Int) -> String {
    self.line(source, limit: limit) + (line > 0 ? ":\(line)" : "")
  }

  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .spacingMark: false
    default: !scalar.isUnseen
    }
  }
}
