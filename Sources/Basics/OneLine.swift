/// Text for a terminal's line: characters that could end the line, drive the terminal, or hide or turn
/// round what stands beside them are shown as escapes.
package enum OneLine {
  /// Returns the text with those characters as escapes; what it returned once it leaves as it is.
  package static func escape(_ text: String) -> String { text.replacing(isHidden, escape) }

  /// Returns `\u001b` and the like: four lower-case hex digits for each unit of UTF-16.
  package static func escape(_ scalar: Unicode.Scalar) -> String {
    scalar.utf16.map { "\\u" + String($0, radix: 16).zeroPadded(to: 4) }.joined()
  }

  /// Returns the text, or its beginning and end with `…` if it has more than `limit` characters.
  package static func cut(_ text: String, limit: Int) -> String {
    guard text.unicodeScalars.count > limit else { return text }
    let end = limit / 4
    var short = String.UnicodeScalarView(text.unicodeScalars.prefix(limit - end - 1))
    short.append("…")
    short.append(contentsOf: text.unicodeScalars.suffix(end))
    return String(short)
  }

  private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}

extension String {
  /// Returns the text with another one in place of each character that `isReplaced`.
  func replacing(
    _ isReplaced: (Unicode.Scalar) -> Bool, _ replacement: (Unicode.Scalar) -> String
  ) -> String {
    guard unicodeScalars.contains(where: isReplaced) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      if isReplaced(scalar) {
        text += replacement(scalar)
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}

extension Unicode.Scalar {
  /// Whether a reader could not see the character, or where it changes the direction of letters.
  package var isUnseen: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
    default: false
    }
  }
}
