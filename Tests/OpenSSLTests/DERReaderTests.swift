import OpenSSL
import TestSupport
import Testing

struct DERReaderTests {
  private func isOneItem(_ bytes: [UInt8]) -> Bool {
    DERReader.isOneItem(bytes.span)
  }

  /// Returns the range of the content of the one item in `range`, if the item has that tag.
  private func content(_ tag: UInt64, of bytes: [UInt8], in range: Range<Int>) -> Range<Int>? {
    var reader = DERReader(range)
    let content = reader.next(tag, in: bytes.span)
    return reader.isAtEnd ? content : nil
  }

  @Test func `items, long tags and long lengths are read`() throws {
    let bytes: [UInt8] = [0x30, 0x08, 0xBF, 0x8A, 0x78, 0x04, 0x04, 0x02, 0x31, 0x34]
    let outer = try #require(content(DERReader.sequence, of: bytes, in: 0..<10))
    let tagged = try #require(content(DERReader.context(1400), of: bytes, in: outer))
    #expect(content(DERReader.octetString, of: bytes, in: tagged) == 8..<10)
    #expect(content(DERReader.integer, of: bytes, in: tagged) == nil)
    #expect(isOneItem(bytes))
  }

  @Test(arguments: TextCase.read("der"))
  func `an item is whole, in the shortest form, and in no other`(_ one: TextCase) {
    for line in one.lines {
      #expect(isOneItem([UInt8](written: line)) == (one.message == "one item"), "\(line)")
    }
  }

  @Test(arguments: [(0..<4, true), (0..<3, true), (0..<2, false), (2..<4, false), (0..<9, false)])
  func `bytes are passed over only if they end where the reader does`(
    _ range: Range<Int>, _ isPassed: Bool
  ) {
    let bytes: [UInt8] = [1, 2, 3, 1]
    var reader = DERReader(range)
    #expect(reader.pass([1, 2, 3], in: bytes.span) == isPassed)
    #expect(reader.isAtEnd == (range == 0..<3))
  }

  @Test func `deep nesting is refused`() {
    var bytes: [UInt8] = [0x05, 0x00]
    for _ in 0..<31 { bytes = [0x30, UInt8(bytes.count)] + bytes }
    #expect(isOneItem(bytes))
    #expect(!isOneItem([0x30, UInt8(bytes.count)] + bytes))
  }
}
