import Basics
import Testing

struct HexTests {
  @Test func `bytes and numbers are written in lower case, two digits a byte`() {
    #expect(Hex.text([0x00, 0x0A, 0xFF]) == "000aff")
    #expect(Hex.text([]).isEmpty)
    #expect(Hex.text(0x1F as UInt64) == "000000000000001f")
    #expect(Hex.text(UInt64.max) == "ffffffffffffffff")
  }

  @Test func `what was written is read again`() {
    let bytes = (0...255).map { UInt8($0) }
    #expect(Hex.bytes(Hex.text(bytes).utf8) == bytes)
    for number in [0, 1, UInt64.max, 0x0123_4567_89AB_CDEF] {
      #expect(Hex.number(Hex.text(number)) == number)
    }
  }

  @Test(arguments: ["0", "0G", "AB", " 00", "0x00", "0\u{0}", "é0"])
  func `other text is no hex`(text: String) {
    #expect(Hex.bytes(text.utf8) == nil)
  }

  @Test(arguments: ["", "1f", "00000000000000001f", "000000000000001F"])
  func `other text is no number of 16 digits`(text: String) {
    #expect(Hex.number(text) == nil)
  }
}
