internal import Basics

/// The ways in which logs write bytes as text.
package enum TextCode: Sendable, CaseIterable {
  case base64, base64Unpadded, base64URL, base64URLPadded, hex, upperHex
  /// Base64 after form decoding, with a space instead of each `+`.
  case base64Spaced

  private static let standard = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Returns `bytes` as ASCII text.
  package func encode(_ bytes: [UInt8]) -> [UInt8] {
    switch self {
    case .base64: Self.base64(bytes)
    case .base64Unpadded: Self.base64(bytes, padded: false)
    case .base64URL: Self.base64(bytes, "-", "_", padded: false)
    case .base64URLPadded: Self.base64(bytes, "-", "_")
    case .base64Spaced: Self.base64(bytes, " ")
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

  private static func base64(
    _ bytes: [UInt8], _ plus: Unicode.Scalar = "+", _ slash: Unicode.Scalar = "/",
    padded: Bool = true
  ) -> [UInt8] {
    let text = Base64Text.encode(bytes.span)
    let characters = padded ? text[...] : text.prefix { $0 != UInt8(ascii: "=") }
    return characters.map { character in
      switch Unicode.Scalar(character) {
      case "+": UInt8(ascii: plus)
      case "/": UInt8(ascii: slash)
      default: character
      }
    }
  }
}
