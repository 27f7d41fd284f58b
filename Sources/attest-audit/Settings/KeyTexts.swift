/// Binary values as key lists write them.
enum KeyTexts {
  /// Base64 or base64url, padded or not; nil where the text is neither.
  static func base64(_ text: String) -> [UInt8]? {
    var digits = Array(text.utf8)
    var padding = 0
    while digits.last == UInt8(ascii: "=") {
      digits.removeLast()
      padding += 1
    }
    let left = digits.count % 4
    guard left != 1, padding == 0 || (left + padding) % 4 == 0 && padding <= 2 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits.count / 4 * 3 + 2)
    var group: UInt32 = 0
    for (index, digit) in digits.enumerated() {
      guard let value = value(digit) else { return nil }
      group = group << 6 | value
      if index % 4 == 3 {
        bytes.append(UInt8(truncatingIfNeeded: group >> 16))
        bytes.append(UInt8(truncatingIfNeeded: group >> 8))
        bytes.append(UInt8(truncatingIfNeeded: group))
        group = 0
      }
    }
    switch left {
    case 2: bytes.append(UInt8(truncatingIfNeeded: group >> 4))
    case 3:
      bytes.append(UInt8(truncatingIfNeeded: group >> 10))
      bytes.append(UInt8(truncatingIfNeeded: group >> 2))
    default: break
    }
    return bytes
  }

  private static func value(_ digit: UInt8) -> UInt32? {
    switch digit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit) - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit) - 71
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit) + 4
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
  }

  /// Two hex digits a byte; nil for anything else.
  static func hex(_ text: String) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = nibble(digits[index]), let low = nibble(digits[index + 1]) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func nibble(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - 48
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - 87
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - 55
    default: nil
    }
  }
}
