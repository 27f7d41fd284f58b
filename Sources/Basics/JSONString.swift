/// Strings as JSON has them (RFC 8259, section 7).
package enum JSONString {
  /// Returns a string with quotes, escaped for terminals (reports.R25) and readers (reports.R27).
  package static func quoted(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 2)
    bytes.append(UInt8(ascii: "\""))
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": bytes += [UInt8(ascii: "\\"), UInt8(ascii: scalar)]
      case "\u{8}": bytes += "\\b".utf8
      case "\t": bytes += "\\t".utf8
      case "\n": bytes += "\\n".utf8
      case "\u{C}": bytes += "\\f".utf8
      case "\r": bytes += "\\r".utf8
      case _ where ControlCharacters.contains(scalar): bytes += OneLine.escape(scalar).utf8
      default: bytes += scalar.utf8
      }
    }
    bytes.append(UInt8(ascii: "\""))
    return bytes
  }
}
