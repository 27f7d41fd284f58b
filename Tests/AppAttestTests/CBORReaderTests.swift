import AppAttest
import Testing

struct CBORReaderTests {
  private func error(_ bytes: [UInt8]) -> CBORError? {
    do throws(CBORError) {
      try CBORReader.checkOneItem(bytes.span)
      return nil
    } catch {
      return error
    }
  }

  private func map(_ keys: [[UInt8]]) -> [UInt8] {
    CBOR.map(keys.map { ($0, [0]) })
  }

  @Test(
    arguments: [
      [0x00], [0x18, 0x00], [0x1B, 0, 0, 0, 0, 0, 0, 0, 1],
      [0x3B] + [UInt8](repeating: 255, count: 8),
      [0x40], [0x58, 0x01, 9], [0x5F, 0x41, 1, 0x40, 0xFF], [0x5F, 0xFF], [0x7F, 0x61, 0x61, 0xFF],
      [0x80], [0x9F, 1, 2, 0xFF], [0xA0], [0xBF, 1, 2, 0xFF], [0xBF, 0xFF], [0xC1, 0x00],
      [0xF4], [0xF6], [0xF7], [0xE0], [0xF8, 32], [0xF8, 255], [0xF9, 0, 0], [0xFA, 0, 0, 0, 0],
      [0xFB, 0, 0, 0, 0, 0, 0, 0, 0], [0x62, 0xC3, 0xBC], [0xB8, 0x01, 0x18, 0x00, 0x19, 0, 0],
    ] as [[UInt8]])
  func `what the RFC allows is taken`(bytes: [UInt8]) {
    #expect(error(bytes) == nil)
  }

  @Test(
    arguments: [
      ([], .truncated), ([0x18], .truncated), ([0x1B, 0], .truncated), ([0x41], .truncated),
      ([0x5B] + [UInt8](repeating: 255, count: 8), .truncated), ([0x81], .truncated),
      ([0x9B] + [UInt8](repeating: 255, count: 8), .truncated), ([0xA1, 0x00], .truncated),
      ([0xBB] + [UInt8](repeating: 255, count: 8), .truncated), ([0x9F], .truncated),
      ([0xBF], .truncated), ([0xBF, 0], .truncated), ([0x5F], .truncated),
      ([0x5F, 0x41], .truncated),
      ([0xC0], .truncated), ([0xF8], .truncated),
      (
        [0x7B, 0x7F] + [UInt8](repeating: 255, count: 7),
        .truncated
      ),
      ([0x1C], .reservedLength), ([0x3D], .reservedLength), ([0x5E], .reservedLength),
      ([0xFC], .reservedLength), ([0x1F], .reservedLength), ([0x3F], .reservedLength),
      ([0xDF, 0], .reservedLength), ([0xFF], .unexpectedBreak), ([0x81, 0xFF], .unexpectedBreak),
      ([0xA1, 0xFF, 0xFF], .unexpectedBreak), ([0xA1, 0x00, 0xFF], .unexpectedBreak),
      ([0xBF, 0x00, 0xFF], .unexpectedBreak), ([0xC0, 0xFF], .unexpectedBreak),
      ([0xF8, 0], .badSimpleValue), ([0xF8, 20], .badSimpleValue), ([0xF8, 31], .badSimpleValue),
      ([0x5F, 0x61, 0x61, 0xFF], .badChunk), ([0x7F, 0x41, 0x61, 0xFF], .badChunk),
      ([0x5F, 0x5F, 0xFF, 0xFF], .badChunk), ([0x5F, 0x00, 0xFF], .badChunk),
      ([0x00, 0x00], .leftOver), ([0xA0, 0xFF], .leftOver), ([0x40, 0x00], .leftOver),
    ] as [([UInt8], CBORError)])
  func `what is not well-formed is refused`(bytes: [UInt8], expected: CBORError) {
    #expect(error(bytes) == expected)
  }

  @Test(
    arguments: [
      [0x61, 0xFF], [0x61, 0xC3], [0x62, 0xC0, 0x80], [0x63, 0xED, 0xA0, 0x80],
      [0x64, 0xF4, 0x90, 0x80, 0x80], [0x7F, 0x61, 0xC3, 0x61, 0xBC, 0xFF],
      [0x82, 0x00, 0x61, 0x80], [0xA1, 0x61, 0xFE, 0x00],
    ] as [[UInt8]])
  func `text that is not UTF-8 is refused, chunk by chunk`(bytes: [UInt8]) {
    #expect(error(bytes) == .notUTF8)
  }

  /// Pairs of keys that are one value (RFC 8949, 5.6.1 and 3.4.3).
  @Test(
    arguments: [
      ([0x01], [0x18, 0x01]), ([0x20], [0x39, 0, 0]), ([0x61, 0x61], [0x78, 0x01, 0x61]),
      ([0x61, 0x61], [0x7F, 0x61, 0x61, 0xFF]), ([0x7F, 0xFF], [0x60]),
      ([0x62, 0x61, 0x62], [0x7F, 0x61, 0x61, 0x60, 0x61, 0x62, 0xFF]),
      ([0x41, 0], [0x5F, 0x40, 0x41, 0, 0xFF]), ([0x81, 0x01], [0x9F, 0x18, 0x01, 0xFF]),
      ([0xA1, 1, 2], [0xBF, 0x18, 1, 0x18, 2, 0xFF]), ([0xA2, 1, 2, 3, 4], [0xA2, 3, 4, 1, 2]),
      ([0xC2, 0x41, 5], [0x05]), ([0xC2, 0x42, 0, 5], [0xC2, 0x41, 5]), ([0xC2, 0x40], [0x00]),
      ([0xC3, 0x41, 0], [0x20]), ([0xC2, 0x5F, 0x41, 1, 0x41, 0, 0xFF], [0x19, 1, 0]),
      ([0xC2, 0x4A, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0], [0xC2, 0x49, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
      ([0xD8, 0x01, 0], [0xC1, 0x18, 0]), ([0xF9, 0x3C, 0], [0xFA, 0x3F, 0x80, 0, 0]),
      ([0xFA, 0x3F, 0x80, 0, 0], [0xFB, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0]),
      ([0xF9, 0x00, 0x01], [0xFB, 0x3E, 0x70, 0, 0, 0, 0, 0, 0]),
      ([0xFA, 0, 0, 0, 1], [0xFB, 0x36, 0xA0, 0, 0, 0, 0, 0, 0]),
      ([0xF9, 0x7E, 0], [0xFB, 0x7F, 0xF8, 0, 0, 0, 0, 0, 0]),
      ([0xF9, 0xFC, 0], [0xFA, 0xFF, 0x80, 0, 0]), ([0xF4], [0xF4]),
    ] as [([UInt8], [UInt8])])
  func `one key in two guises occurs twice`(first: [UInt8], second: [UInt8]) {
    #expect(error(map([first, second])) == .duplicateKey)
    #expect(error(map([second, [0x63, 1, 2, 3], first])) == .duplicateKey)
    #expect(error([0xBF] + first + [0] + second + [0] + [0xFF]) == .duplicateKey)
    #expect(error([0x81] + map([first, second])) == .duplicateKey)
    #expect(error(CBOR.map([([9], map([first, second]))])) == .duplicateKey)
    #expect(error(CBOR.map([(map([first, second]), [9])])) == .duplicateKey)
    let many = (0..<20).map { CBOR.text("key \($0)") }
    #expect(error(map(many)) == nil)
    #expect(error(map([first] + many + [second])) == .duplicateKey)
  }

  @Test func `keys that only look alike are two`() {
    let keys: [[UInt8]] = [
      [0x01], [0x20], [0x61, 0x31], [0x41, 0x31], [0xF9, 0x3C, 0], [0xF5], [0xC1, 0x01], [0x81, 1],
      [0xA1, 1, 1], [0xA1, 1, 2], [0x82, 1, 1], [0xF9, 0x00, 0x00], [0xF9, 0x80, 0x00], [0x00],
      [0xC2, 0x49, 1, 0, 0, 0, 0, 0, 0, 0, 0], [0xC3, 0x49, 1, 0, 0, 0, 0, 0, 0, 0, 0],
      [0xC2, 0x61, 0x61], [0xE1], [0x60], [0x40], [0x80], [0xA0],
    ]
    #expect(error(map(keys)) == nil)
    for (index, first) in keys.enumerated() {
      for second in keys[(index + 1)...] { #expect(error(map([first, second])) == nil) }
    }
  }

  @Test func `sixteen levels are taken, seventeen are not`() {
    for opening in [[0x81], [0x9F], [0xA1, 0x00], [0xC1]] as [[UInt8]] {
      let closing: [UInt8] = opening == [0x9F] ? [0xFF] : []
      func nested(_ depth: Int) -> [UInt8] {
        Array(repeating: opening, count: depth).flatMap { $0 } + [0x00]
          + Array(repeating: closing, count: depth).flatMap { $0 }
      }
      #expect(error(nested(16)) == nil)
      #expect(error(nested(17)) == .tooDeep)
      #expect(error(nested(50_000)) == .tooDeep)
    }
    let keys = [UInt8](repeating: 0xA1, count: 17) + [UInt8](repeating: 0, count: 18)
    #expect(error(keys) == .tooDeep)
    #expect(error(Array(keys.dropFirst().dropLast())) == nil)
  }

  @Test func `random bytes end in a verdict`() {
    var state: UInt64 = 1
    var valid = 0
    for _ in 0..<20_000 {
      let bytes = (0..<24).map { _ -> UInt8 in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
      }
      var reader = CBORReader()
      if (try? reader.skip(bytes.span, checked: true)) != nil {
        valid += 1
        #expect(reader.offset <= bytes.count)
        #expect(error(Array(bytes.prefix(reader.offset))) == nil)
      }
    }
    #expect(valid > 1000)
  }
}
