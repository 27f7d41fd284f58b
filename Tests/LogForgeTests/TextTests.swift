import Basics
import Foundation
import Testing

@testable import LogForge

struct TextTests {
  @Test(arguments: ["", "f", "fo", "foo", "foob", "fooba", "foobar"])
  func `base64 is that of Foundation`(text: String) {
    let bytes = Array(text.utf8)
    let expected = Data(bytes).base64EncodedString()
    #expect(String(decoding: TextCode.base64.encode(bytes), as: UTF8.self) == expected)
    #expect(
      String(decoding: TextCode.base64Unpadded.encode(bytes), as: UTF8.self)
        == expected.replacing("=", with: ""))
  }

  @Test func `the other alphabets differ where they should`() {
    let bytes: [UInt8] = [0xFB, 0xEF, 0xFF, 0xFB]
    #expect(String(decoding: TextCode.base64.encode(bytes), as: UTF8.self) == "++//+w==")
    #expect(String(decoding: TextCode.base64URL.encode(bytes), as: UTF8.self) == "--__-w")
    #expect(String(decoding: TextCode.base64URLPadded.encode(bytes), as: UTF8.self) == "--__-w==")
    #expect(String(decoding: TextCode.base64Spaced.encode(bytes), as: UTF8.self) == "  // w==")
    #expect(String(decoding: TextCode.hex.encode(bytes), as: UTF8.self) == "fbeffffb")
    #expect(String(decoding: TextCode.upperHex.encode(bytes), as: UTF8.self) == "FBEFFFFB")
  }

  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"), (951_782_399_999, "2000-02-28T23:59:59.999Z"),
    (951_782_400_000, "2000-02-29T00:00:00.000Z"), (1_772_323_200_123, "2026-03-01T00:00:00.123Z"),
    (-1, "1969-12-31T23:59:59.999Z"), (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
  ])
  func `times are written in the calendar`(time: Int64, text: String) {
    #expect(CalendarTime.rfc3339(time) == text)
  }

  @Test func `offsets move the clock and not the instant`() {
    #expect(CalendarTime.rfc3339(0, digits: 0, offset: 330) == "1970-01-01T05:30:00+05:30")
    #expect(CalendarTime.rfc3339(0, digits: 0, offset: -480) == "1969-12-31T16:00:00-08:00")
    #expect(CalendarTime.rfc3339(7, digits: 9, tail: 42) == "1970-01-01T00:00:00.007000042Z")
  }

  @Test func `certificates have two forms of time`() {
    #expect(
      CalendarTime.der(seconds: 1_584_556_373) == [0x17, 13] + Array("200318183253Z".utf8))
    #expect(
      CalendarTime.der(seconds: 2_524_608_000) == [0x18, 15] + Array("20500101000000Z".utf8))
  }

  @Test(arguments: 0..<50)
  func `escaped strings say what was meant`(seed: UInt64) throws {
    var random = ForgeRandom(seed)
    let text = "a/\"\\\u{0}\t\u{1F511} Zoë – \(random.next())"
    var line = JSONLine()
    line.add("escaped", raw: JSONLine.escaped(text, &random))
    line.add("plain", text: text)
    let read = try JSONDecoder().decode(
      [String: String].self, from: Data(line.bytes(&random)))
    #expect(read == ["escaped": text, "plain": text])
  }

  @Test func `streams of random numbers do not depend on each other`() {
    var first = ForgeRandom(1, 2, 3)
    var same = ForgeRandom(1, 2, 3)
    var other = ForgeRandom(1, 3, 2)
    let drawn = first.bytes(64)
    #expect(same.bytes(64) == drawn)
    #expect(other.bytes(64) != drawn)
    #expect(first.shuffled(Array(0..<100)).sorted() == Array(0..<100))
  }
}
