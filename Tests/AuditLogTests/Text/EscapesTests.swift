import CSimdjson
import TestSupport
import Testing

@Suite struct `Escapes of logs` {
  private static let parts = [
    "\\u0041", "\\u00e4", "\\ud83d", "\\u004", "\\u00 1", "\\n", "\\/", "\\\"", "\\\\", "\\x41",
    "\\x4", "\\U", "\\", "\\u", "%41", "%4", "ab", "ü", "[1",
  ]

  /// Decodes one character after the other.
  private func plainly(_ text: [UInt8]) -> [UInt8] {
    unsafe text.withUnsafeBufferPointer { text in
      var decoded: [UInt8] = []
      guard let start = text.baseAddress else { return decoded }
      var at = 0
      while at < text.count {
        var character: UInt8 = 0
        let count = unsafe attest_read_escape(start + at, start + text.count, &character)
        decoded.append(unsafe count == 0 ? start[at] : character)
        at += max(count, 1)
      }
      return decoded
    }
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
