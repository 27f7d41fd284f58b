/// Base64 as the program writes it (RFC 4648, section 4): padded, in one line.
package enum Base64Text {
  private static let digits: [UInt8] = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Returns the ASCII characters of bytes.
  package static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
    let digits = digits
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let left = bytes.count - index
      let first = UInt32(bytes[index]) << 16
      let second = left > 1 ? UInt32(bytes[index + 1]) << 8 : 0
      let third = left > 2 ? UInt32(bytes[index + 2]) : 0
      let group = first | second | third
      text.append(digits[Int(group >> 18) & 63])
      text.append(digits[Int(group >> 12) & 63])
      text.append(left > 1 ? digits[Int(group >> 6) & 63] : UInt8(ascii: "="))
      text.append(left > 2 ? digits[Int(group) & 63] : UInt8(ascii: "="))
      index += 3
    }
    return text
  }

  package static func text(_ bytes: [UInt8]) -> String {
    String(decoding: encode(bytes.span), as: UTF8.self)
  }

  /// Returns bytes as PEM (RFC 7468), in lines of 64 characters.
  package static func pem(_ label: String, _ der: [UInt8]) -> String {
    let text = encode(der.span)
    let lines = stride(from: 0, to: text.count, by: 64).map { start in
      String(decoding: text[start..<min(start + 64, text.count)], as: UTF8.self) + "\n"
    }
    return "-----BEGIN \(label)-----\n\(lines.joined())-----END \(label)-----\n"
  }
}
