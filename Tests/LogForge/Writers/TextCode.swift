internal import Basics

/// The ways in which logs write bytes as text.
package enum TextCode: Sendable, CaseIterable {
  case base64, base64Unpadded, base64URL, base64URLPadded, hex, upperHex
  /// Base64 after form decoding, with a space instead of each `+`.
  case base64Spaced

  private static let standard = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let urlSafe = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let spaced = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 /".utf8)

  /// Returns `bytes` as ASCII text.
  package func encode(_ bytes: [UInt8]) -> [UInt8] {
    switch self {
    case .base64: Self.base64(bytes, Self.standard, padded: true)
    case .base64Unpadded: Self.base64(bytes, Self.standard, padded: false)
    case .base64URL: Self.base64(bytes, Self.urlSafe, padded: false)
    case .base64URLPadded: Self.base64(bytes, Self.urlSafe, padded: true)
    case .base64Spaced: Self.base64(bytes, Self.spaced, padded: true)
    case .hex: Hex.encode(bytes.span)
    case .upperHex: Array(Hex.text(bytes).uppercased().utf8)
    }
  }

  /// The length of a line of base64 (RFC 2045, section 6.8).
  private static let lineLength = 76

  /// Returns `bytes` as ASCII text, base64 in lines that end in CR LF.
  package func encodeLines(_ bytes: [UInt8]) -> [UInt8] {
    let text = encode(bytes)
    guard self != .hex && self != .upperHex else { return text }
    var lines = [UInt8]()
    for start in stride(from: 0, to: text.count, by: Self.lineLength) {
      lines += text[start..<min(start + Self.lineLength, text.count)] + [0x0D, 0x0A]
    }
    return lines
  }

  /// Returns the character of base64 whose value is one more than that of `character`.
  static func next(after character: UInt8) -> UInt8 {
    let value = standard.firstIndex(of: character) ?? 0
    return standard[(value + 1) % 64]
  }

  private static func base64(_ bytes: [UInt8], _ alphabet: [UInt8], padded: Bool) -> [UInt8] {
    var text = [UInt8]()
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var index = 0
    while index < bytes.count {
      let left = bytes.count - index
      var group = UInt32(bytes[index]) << 16
      if left > 1 { group |= UInt32(bytes[index + 1]) << 8 }
      if left > 2 { group |= UInt32(bytes[index + 2]) }
      text.append(alphabet[Int(group >> 18 & 63)])
      text.append(alphabet[Int(group >> 12 & 63)])
      if left > 1 { text.append(alphabet[Int(group >> 6 & 63)]) }
      if left > 2 { text.append(alphabet[Int(group & 63)]) }
      if padded && left < 3 { text += [UInt8](repeating: 0x3D, count: 3 - left) }
      index += 3
    }
    return text
  }
}
