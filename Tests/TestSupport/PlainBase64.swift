/// Base64 by its definition.
package enum PlainBase64 {
  /// Decodes base64 without padding, a bit at a time. Returns nil for text that is not base64 in
  /// one alphabet.
  package static func decode(_ text: [UInt8]) -> [UInt8]? {
    let alphabet = Array(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var bits: [Bool] = []
    let text = text.filter { ![9, 10, 13].contains($0) }
    guard text.count % 4 != 1 else { return nil }
    let isStandard = text.contains { Array("+/ ".utf8).contains($0) }
    let isURL = text.contains { Array("-_".utf8).contains($0) }
    guard !isStandard || !isURL else { return nil }
    for byte in text {
      let character: UInt8 =
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: " "): UInt8(ascii: "+")
        case UInt8(ascii: "_"): UInt8(ascii: "/")
        default: byte
        }
      guard let value = alphabet.firstIndex(of: character) else { return nil }
      for place in stride(from: 5, through: 0, by: -1) { bits.append(value >> place & 1 == 1) }
    }
    guard !bits[(bits.count / 8 * 8)...].contains(true) else { return nil }
    return (0..<(bits.count / 8)).map { index in
      bits[(8 * index)..<(8 * index + 8)].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
    }
  }
}
