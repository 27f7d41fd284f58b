import AppAttest
import LogForge
import Testing

struct ReceiptFieldsTests {
  private func field(_ type: [UInt8], _ value: String, version: [UInt8] = [1]) -> [UInt8] {
    DERWriter.value(
      0x30,
      DERWriter.value(2, type) + DERWriter.value(2, version) + DERWriter.value(4, Array(value.utf8))
    )
  }

  private func fields(_ bytes: [UInt8]) -> ReceiptFields? {
    ReceiptFields(bytes)
  }

  @Test func `fields are read in any order, unknown ones passed over`() throws {
    let set = DERWriter.value(
      0x31,
      field([12], "2026-04-21T18:13:12.153Z") + field([99], "x")
        + field([1, 44], "large") + field([2], "A.b") + field([99], "again"))
    let read = try #require(fields(set))
    #expect(read.text(2) == "A.b")
    #expect(read.time(12) == 1_776_795_192_153)
    #expect(read[99] == nil)
    #expect(read[44] == nil)
    #expect(read.text(6) == nil)
    #expect(fields(DERWriter.value(0x31, [])) != nil)
  }

  @Test func `text that is not UTF-8 is no text`() throws {
    let set = DERWriter.value(
      0x31,
      DERWriter.value(
        0x30, DERWriter.value(2, [2]) + DERWriter.value(2, [1]) + DERWriter.value(4, [0xFF])))
    let read = try #require(fields(set))
    #expect(read[2] == [0xFF])
    #expect(read.text(2) == nil)
  }

  @Test func `anything but a set of fields is refused`() {
    let good = DERWriter.value(0x31, field([2], "A.b"))
    #expect(fields(good) != nil)
    for count in 0..<good.count { #expect(fields(Array(good.prefix(count))) == nil) }
    for bad in [
      good + [0], DERWriter.value(0x30, field([2], "A.b")),
      DERWriter.value(0x31, field([2], "A.b") + [0]),
      DERWriter.value(0x31, field([], "A.b")),
      DERWriter.value(0x31, field([2], "A.b", version: [])),
      DERWriter.value(0x31, field([2], "A.b") + field([2], "A.b")),
      DERWriter.value(0x31, DERWriter.value(0x31, [])),
      DERWriter.value(
        0x31,
        DERWriter.value(
          0x30, DERWriter.value(2, [2]) + DERWriter.value(2, [1]) + DERWriter.value(12, [65]))),
      DERWriter.value(
        0x31,
        DERWriter.value(
          0x30,
          DERWriter.value(2, [2]) + DERWriter.value(2, [1]) + DERWriter.value(4, [65])
            + DERWriter.value(5, []))),
      DERWriter.value(
        0x31, DERWriter.value(0x30, DERWriter.value(2, [2]) + DERWriter.value(4, [65]))),
      [0x31, 0x80] + field([2], "A.b") + [0, 0],
    ] {
      #expect(fields(bad) == nil)
    }
  }
}
