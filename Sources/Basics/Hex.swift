/// Hexadecimal, two digits a byte, as the program writes it: in lower case.
package enum Hex {
  private static let digits: [UInt8] = Array("0123456789abcdef".utf8)

  /// Returns the ASCII digits of bytes.
  package static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
    var text = [UInt8]()
    text.reserveCapacity(bytes.count * 2)
    for index in bytes.indices {
      text.append(digits[Int(bytes[index] >> 4)])
      text.append(digits[Int(bytes[index] & 15)])
    }
    return text
  }

  package static func text(_ bytes: [UInt8]) -> String {
    String(decoding: encode(bytes.span), as: UTF8.self)
  }

  /// Returns the sixteen digits of a number, the most significant first.
  package static func text(_ number: UInt64) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Returns the bytes of an even number of lower-case digits; any other text gives nil.
  package static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 2)
    var high: UInt8?
    for byte in text {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      default: return nil
      }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return bytes
  }

  /// Returns the number of sixteen lower-case digits; any other text gives nil.
  package static func number(_ text: String) -> UInt64? {
    guard text.utf8.count == 16, let bytes = bytes(text.utf8) else { return nil }
    return bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
