/// HTML text, and JSON inside an HTML page.
extension RowBuffer {
  /// Appends a text node or attribute value. Markup is escaped. Characters that are invisible or
  /// change the direction of letters are shown as escapes.
  mutating func append(html text: String) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "<": append(ascii: "&lt;")
      case ">": append(ascii: "&gt;")
      case "&": append(ascii: "&amp;")
      case "\"": append(ascii: "&quot;")
      case "'": append(ascii: "&#39;")
      default: append(String(scalar.isUnseen ? scalar.escaped(asASCII: true) : String(scalar)))
      }
    }
  }

  /// Appends a JSON string for a `script` element. No byte of it can end the element or begin a
  /// comment.
  mutating func append(scriptJSON text: String) {
    append(UInt8(ascii: "\""))
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\", "<", ">", "&": append(unicodeEscape: scalar.value)
      default:
        if scalar.isUnseen, scalar.value <= 0xFFFF {
          append(unicodeEscape: scalar.value)
        } else {
          append(String(scalar))
        }
      }
    }
    append(UInt8(ascii: "\""))
  }

  /// Appends `\u` and four hex digits.
  private mutating func append(unicodeEscape value: UInt32) {
    append(ascii: "\\u")
    let bytes = [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
    append(hex: bytes.span)
  }
}

extension Unicode.Scalar {
  /// Whether a reader could not see the character, or where it changes the direction of letters.
  fileprivate var isUnseen: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
    default: false
    }
  }
}

/// Cells of tables.
extension RowBuffer {
  /// Appends a cell of text, with the label that it has on a phone.
  mutating func append(cell text: String, label: String) {
    append("<td data-name=\"\(label)\"><bdi>")
    append(html: text)
    append(ascii: "</bdi></td>")
  }

  /// Appends a cell of a number, with its thousands separated and the label that it has on a phone.
  mutating func append(cell count: UInt64, label: String) {
    append("<td class=\"n\" data-name=\"\(label)\">")
    append(SummaryNumber.grouped(count))
    append(ascii: "</td>")
  }
}
