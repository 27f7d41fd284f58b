import Testing

@testable import LogForge

struct CBORWriterTests {
  @Test(arguments: [
    (0, [0x00]), (23, [0x17]), (24, [0x18, 0x18]), (1000, [0x19, 0x03, 0xE8]),
    (1_000_000, [0x1A, 0x00, 0x0F, 0x42, 0x40]),
    (1_000_000_000_000, [0x1B, 0, 0, 0, 0xE8, 0xD4, 0xA5, 0x10, 0]), (-1, [0x20]),
    (-7, [0x26]), (-100, [0x38, 0x63]),
  ])
  func `integers are written as RFC 8949 appendix A has them`(number: Int, bytes: [UInt8]) {
    #expect(CBORWriter.integer(number) == bytes)
  }

  @Test func `strings, arrays and maps carry their lengths`() {
    #expect(CBORWriter.bytes([1, 2, 3, 4]) == [0x44, 1, 2, 3, 4])
    #expect(CBORWriter.text("IETF") == [0x64, 0x49, 0x45, 0x54, 0x46])
    #expect(CBORWriter.array([[1], [2], [3]]) == [0x83, 1, 2, 3])
    #expect(CBORWriter.map([([1], [2]), ([3], [4])]) == [0xA2, 1, 2, 3, 4])
    #expect(CBORWriter.bytes([UInt8](repeating: 7, count: 256)).prefix(4) == [0x59, 1, 0, 7])
  }

  @Test func `the same items have other spellings`() {
    #expect(CBORWriter.text("a", .longest) == [0x7B, 0, 0, 0, 0, 0, 0, 0, 1, 0x61])
    #expect(CBORWriter.openMap([([1], [2])]) == [0xBF, 1, 2, 0xFF])
    #expect(
      CBORWriter.chunkedBytes([1, 2, 3], chunk: 2) == [0x5F, 0x42, 1, 2, 0x41, 3, 0xFF])
  }
}
