import AppAttest
import LogForge
import TestSupport
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
    CBORWriter.map(keys.map { ($0, [0]) })
  }

  @Test(arguments: TextCase.read("cbor"))
  func `an item is well-formed, or has the error of its row`(
    row: TextCase
  ) {
    for line in row.lines {
      let error = error([UInt8](written: line)).map { "\($0)" }
      #expect(error ?? "well-formed" == row.message, "\(line)")
    }
  }

  /// Pairs of keys that are one value (RFC 8949, 5.6.1 and 3.4.3).
  @Test(arguments: TextCase.read("cbor-keys").flatMap(\.lines))
  func `one key in two guises occurs twice`(row: Substring) {
    let keys = row.split(separator: " ").map { [UInt8](written: $0) }
    let (first, second) = (keys[0], keys[1])
    #expect(error(map([first, second])) == .duplicateKey)
    #expect(error(map([second, [0x63, 1, 2, 3], first])) == .duplicateKey)
    #expect(error([0xBF] + first + [0] + second + [0] + [0xFF]) == .duplicateKey)
    #expect(error([0x81] + map([first, second])) == .duplicateKey)
    #expect(error(CBORWriter.map([([9], map([first, second]))])) == .duplicateKey)
    #expect(error(CBORWriter.map([(map([first, second]), [9])])) == .duplicateKey)
    let many = (0..<20).map { CBORWriter.text("key \($0)") }
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
    var random = Generator(1)
    var valid = 0
    for _ in 0..<20_000 {
      let bytes = random.bytes(24)
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
