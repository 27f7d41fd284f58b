import CSimdjson
import TestSupport
import Testing

@Suite struct `Escapes of logs` {
  private static let parts = [
    "\\u0041", "\\u00e4", "\\ud83d", "\\u004", "\\u00 1", "\\n", "\\/", "\\\"", "\\\\", "\\x41",
    "\\x4", "\\U", "\\", "\\u", "%41", "%4", "ab", "ü", "[1",
  ]

  private static let letters: [Character: UInt8] = [
    "n": 10, "r": 13, "t": 9, "b": 8, "f": 12, "\"": 34, "\\": 92, "/": 47,
  ]

  /// Returns the length of the escape that begins a text, and its character, or nil if there is none.
  private func escape(_ text: ArraySlice<UInt8>) -> (length: Int, character: UInt8)? {
    let characters = text.prefix(6).map { Character(Unicode.Scalar($0)) }
    guard characters.count > 1, characters[0] == "\\" else { return nil }
    func number(_ count: Int) -> Int? {
      let digits = characters.dropFirst(2).prefix(count)
      guard digits.count == count, digits.allSatisfy(\.isHexDigit) else { return nil }
      return Int(String(digits), radix: 16)
    }
    switch characters[1] {
    case "u": return number(4).map { (6, $0 < 0x80 ? UInt8($0) : UInt8(ascii: "?")) }
    case "x": return number(2).map { (4, UInt8($0)) }
    default: return Self.letters[characters[1]].map { (2, $0) }
    }
  }

  /// Decodes one character after the other.
  private func plainly(_ text: [UInt8]) -> [UInt8] {
    var decoded: [UInt8] = []
    var rest = text[...]
    while let first = rest.first {
      let escape = escape(rest)
      decoded.append(escape?.character ?? first)
      rest = rest.dropFirst(escape?.length ?? 1)
    }
    return decoded
  }

  @Test func `a vector of characters is decoded as one after the other (records.R52)`() {
    var random = Generator(21)
    for _ in 0..<5_000 {
      var text: [UInt8] = []
      for _ in 0..<(random.byte() % 40) {
        text += Self.parts[Int(random.byte()) % Self.parts.count].utf8
        text += repeatElement(UInt8(ascii: "k"), count: Int(random.byte() % 7))
      }
      let padded = text + (0..<64).map { _ in random.byte() }
      var decoded = [UInt8](repeating: 0, count: text.count + 64)
      let count = unsafe attest_decode_escapes(padded, text.count, &decoded)
      #expect(decoded.prefix(count) == plainly(text)[...], "\(text)")
    }
  }
}
