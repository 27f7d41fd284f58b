import Testing

@testable import LogForge

struct DERWriterTests {
  @Test(arguments: [
    (0, [0x00]), (127, [0x7F]), (128, [0x81, 0x80]), (255, [0x81, 0xFF]),
    (256, [0x82, 0x01, 0x00]), (65_536, [0x83, 0x01, 0x00, 0x00]),
  ])
  func `lengths take the fewest octets`(count: Int, octets: [UInt8]) {
    #expect(DERWriter.length(count) == octets)
  }

  @Test func `integers are never negative and never padded`() {
    #expect(DERWriter.integer(0) == [2, 1, 0])
    #expect(DERWriter.integer(0x80) == [2, 2, 0, 0x80])
    #expect(DERWriter.integer([0, 0, 0x7F]) == [2, 1, 0x7F])
    #expect(DERWriter.integer([0, 0]) == [2, 1, 0])
  }

  @Test func `object identifiers are in base 128`() {
    #expect(
      DERWriter.oid([1, 2, 840, 113635, 100, 8, 2])
        == [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 0x08, 0x02])
    #expect(DERWriter.oid([2, 5, 4, 3]) == [0x06, 0x03, 0x55, 0x04, 0x03])
  }

  @Test func `high tag numbers are in base 128`() {
    #expect(DERWriter.context(1, [2, 1, 0]) == [0xA1, 3, 2, 1, 0])
    #expect(DERWriter.context(1204, [4, 0]) == [0xBF, 0x89, 0x34, 2, 4, 0])
  }

  @Test func `open values end in two zero bytes`() {
    #expect(DERWriter.open(0x24, [[4, 1, 7], [4, 0]]) == [0x24, 0x80, 4, 1, 7, 4, 0, 0, 0])
  }
}
