import Basics
import Foundation
import Testing

struct CivilTimeTests {
  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (5, "1970-01-01T00:00:00.005Z"),
      (-1, "1969-12-31T23:59:59.999Z"),
      (951_782_400_000, "2000-02-29T00:00:00.000Z"), (951_868_800_001, "2000-03-01T00:00:00.001Z"),
      (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
      (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
      (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
      (253_402_300_800_000, "10000-01-01T00:00:00.000Z"),
      (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
      (-62_167_219_200_001, "-0001-12-31T23:59:59.999Z"),
      (Int64.max, "292278994-08-17T07:12:55.807Z"), (Int64.min, "-292275055-05-16T16:47:04.192Z"),
    ] as [(Int64, String)])
  func `times at the edges are written right`(_ time: Int64, _ text: String) {
    #expect(CivilTime(milliseconds: time).text == text)
  }

  @Test func `days agree with the calendar of Foundation`() throws {
    let formatter = DateFormatter()
    formatter.calendar = Calendar(identifier: .gregorian)
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "UTC")
    formatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ss"
    // 61 days and some: every month, in leap years and others, from 1600 to 2400.
    for step in stride(from: Int64(-11_670_000_000), to: 13_570_000_000, by: 5_273_137) {
      let expected = formatter.string(from: Date(timeIntervalSince1970: Double(step))) + ".000Z"
      #expect(CivilTime(milliseconds: step * 1000).text == expected)
    }
  }

  @Test func `seconds that no date has are a number`() {
    #expect(CivilTime.text(seconds: 0) == "1970-01-01T00:00:00Z")
    #expect(CivilTime.text(seconds: .max) == "second 9223372036854775807")
  }

  @Test func `texts that no clock shows are no times`() {
    for text in [
      "2026-02-29T00:00:00.000Z", "2026-01-01T00:00:60.000Z", "2026-13-01T00:00:00.000Z",
    ] {
      #expect(CivilTime.milliseconds(text) == nil)
    }
  }
}
