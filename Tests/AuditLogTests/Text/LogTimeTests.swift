import Basics
import TestSupport
import Testing

@testable import AuditLog

@Suite struct `Log time` {
  private func text(_ text: String) -> Int64? { LogTime.parse(rfc3339: Array(text.utf8).span) }

  private func number(_ text: String) -> Int64? { LogTime.parse(number: Array(text.utf8).span) }

  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0),
    ("1970-01-01T00:00:00.001Z", 1),
    ("2026-01-02T03:04:05Z", 1_767_323_045_000),
    ("2026-01-02T03:04:05.6Z", 1_767_323_045_600),
    ("2026-01-02T03:04:05.67+00:00", 1_767_323_045_670),
    ("2026-01-02t03:04:05.678z", 1_767_323_045_678),
    ("2026-01-02 03:04:05Z", 1_767_323_045_000),
    ("2026-01-02T04:34:05+01:30", 1_767_323_045_000),
    ("2026-01-01T21:04:05-06:00", 1_767_323_045_000),
    ("2026-01-02T03:04:05-00:00", 1_767_323_045_000),
    ("2026-01-03T03:03:05+23:59", 1_767_323_045_000),
    ("2024-02-29T00:00:00Z", 1_709_164_800_000),
    ("2000-02-29T00:00:00Z", 951_782_400_000),
    ("2016-12-31T23:59:60Z", 1_483_228_800_000),
    ("0000-01-01T00:00:00Z", -62_167_219_200_000),
    ("9999-12-31T23:59:59.999Z", 253_402_300_799_999),
    // What is cut off never rounds up.
    ("1970-01-01T00:00:00.0009999Z", 0),
    ("1970-01-01T00:00:00.9999999999999999999999999Z", 999),
    // Before 1970, too, the millisecond that has begun counts.
    ("1969-12-31T23:59:59.9999Z", -1),
    ("1969-12-31T23:59:59.0001Z", -1000),
    ("1969-12-31T23:59:59Z", -1000),
  ])
  func `RFC 3339 is read with its offset and cut to milliseconds`(_ string: String, _ time: Int64) {
    #expect(text(string) == time)
  }

  @Test(arguments: [
    "", "2026", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02T03:04Z", "2026-01-02T03:04:05.Z",
    "2026-01-02T03:04:05,5Z", "2026-1-02T03:04:05Z", "26-01-02T03:04:05Z", "2026-01-02T3:04:05Z",
    "2026-00-02T03:04:05Z", "2026-13-02T03:04:05Z", "2026-01-00T03:04:05Z",
    "2026-01-32T03:04:05Z", "2026-04-31T03:04:05Z", "2026-02-29T03:04:05Z",
    "1900-02-29T03:04:05Z", "2026-01-02T24:00:00Z", "2026-01-02T03:60:05Z",
    "2026-01-02T03:04:61Z", "2026-01-02T03:04:05+1:00", "2026-01-02T03:04:05+0100",
    "2026-01-02T03:04:05+24:00", "2026-01-02T03:04:05+01:60", "2026-01-02T03:04:05ZZ",
    "2026-01-02T03:04:05Z ", " 2026-01-02T03:04:05Z", "2026-01-02T03:04:05 Z",
    "2026-01-02T03:04:05+01", "2026-01-02T03:04:05*01:00", "2026-01-02_03:04:05Z",
    "2026/01/02T03:04:05Z", "+2026-01-02T03:04:05Z", "-026-01-02T03:04:05Z",
    "２026-01-02T03:04:05Z", "1767323045", "now", "2026-01-02T03:04:05\u{0}Z",
    // In UTC these lie outside of what RFC 3339 can say.
    "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "9999-12-31T23:59:60Z",
  ])
  func `what is not RFC 3339 is refused`(_ string: String) {
    #expect(text(string) == nil)
  }

  @Test(arguments: [
    ("0", 0), ("-0", 0), ("0.0", 0), ("-0e9", 0), ("0e999999999999", 0), ("1", 1000),
    ("1.5", 1500), ("1.9999", 1999), ("0.0009", 0), ("0.001", 1), ("1e0", 1000),
    ("1767323045", 1_767_323_045_000), ("1767323045.678", 1_767_323_045_678),
    ("1767323045.6789999", 1_767_323_045_678), ("1767323045678", 1_767_323_045_678),
    ("1767323045678.9", 1_767_323_045_678), ("1.767323045e9", 1_767_323_045_000),
    ("1.767323045E+9", 1_767_323_045_000), ("17673230450e-1", 1_767_323_045_000),
    ("1.767323045678e12", 1_767_323_045_678), ("0.00001767323045e14", 1_767_323_045_000),
    // 1e11 is the first number of milliseconds.
    ("99999999999", 99_999_999_999_000), ("99999999999.999", 99_999_999_999_999),
    ("99999999999.99999999999999999999", 99_999_999_999_999),
    ("100000000000", 100_000_000_000), ("1e11", 100_000_000_000), ("10e10", 100_000_000_000),
    ("0.9999e11", 99_990_000_000_000),
    // Never through a binary fraction: 0.29 × 100 is 28.999… there.
    ("0.29", 290), ("1.001", 1001), ("4.35", 4350), ("1767323045.001", 1_767_323_045_001),
    ("-1", -1000), ("-1.5", -1500), ("-0.001", -1), ("-0.0011", -2), ("-0.0001", -1),
    ("-1e-300", -1), ("1e-300", 0), ("-1.9999", -2000),
    ("253402300799999", 253_402_300_799_999), ("-62167219200", -62_167_219_200_000),
    ("253402300799999.9999", 253_402_300_799_999),
  ])
  func `numbers are seconds, or milliseconds from 1e11 on`(_ string: String, _ time: Int64) {
    #expect(number(string) == time)
  }

  @Test(arguments: [
    "253402300800000", "1e15", "1e18", "1e19", "1e400", "1E99999999999999999999", "-62167219201",
    "-62167219200.0001", "-1e11", "-1e400", "9223372036854775807", "9223372036854775808",
    "99999999999999999999999999999999999",
  ])
  func `times that RFC 3339 cannot say are refused`(_ string: String) {
    #expect(number(string) == nil)
  }

  @Test(arguments: TimeUnit.allCases)
  func `a number in a unit is the same with and without a fraction`(_ unit: TimeUnit) {
    for count in 0...24 {
      for digits in [
        String("1767323045678901234567890".prefix(count)), String(repeating: "9", count: count),
        "0" + String(repeating: "1", count: count), String(repeating: "1", count: count) + "x",
        "x" + String(repeating: "1", count: count),
      ] {
        let (plain, general) = (Array(digits.utf8), Array((digits + ".0").utf8))
        #expect(
          LogTime.parse(plain.span, in: unit) == LogTime.parse(general.span, in: unit), "\(digits)")
      }
    }
    let time = Array("1767323045678901234".utf8)
    #expect(LogTime.parse(time.span, in: unit) == (unit == .ns ? 1_767_323_045_678 : nil))
  }

  @Test func `a time before 1970 is cut downwards whatever digit decides it`() {
    for zeros in 0..<60 {
      let string = "-1." + String(repeating: "0", count: zeros) + "1"
      // One tenth, one hundredth and one thousandth are whole milliseconds.
      let expected: [Int64] = [-1100, -1010, -1001]
      #expect(number(string) == expected[min(zeros, 2)], "\(string)")
    }
  }

  @Test func `an exponent undoes as many zeros as a line can hold`() {
    let zeros = String(repeating: "0", count: 150_000)
    #expect(number("1\(zeros)e-149991") == 1_000_000_000_000)
    #expect(number("0.\(zeros)1e150010") == 1_000_000_000_000)
    #expect(number("1\(zeros)e-150001") == 100)
    #expect(number("1\(zeros)") == nil)
  }

  @Test func `every day of eight centuries follows the day before`() {
    var expected = CivilTime.days(year: 1600, month: 1, day: 1)
    for year in 1600...2400 {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      for (month, days) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        .enumerated()
      {
        for day in [1, days] {
          let string =
            decimal(year, 4) + "-" + decimal(month + 1, 2) + "-"
            + decimal(day, 2)
          let time = (expected + Int64(day - 1)) * 86_400_000
          #expect(text(string + "T00:00:00Z") == time)
        }
        #expect(
          text(
            decimal(year, 4) + "-" + decimal(month + 1, 2) + "-"
              + decimal(days + 1, 2) + "T00:00:00Z") == nil)
        expected += Int64(days)
      }
    }
    #expect(CivilTime.days(year: 1970, month: 1, day: 1) == 0)
  }

  @Test func `bytes at random are no time and harm nothing`() {
    var random = Generator(3)
    let alphabet = Array("0123456789-+.:eETZz ".utf8)
    for _ in 0..<5000 {
      var line = Array("2026-01-02T03:04:05.678+01:30".utf8)
      for _ in 0..<random.below(5) {
        line[random.below(line.count)] = alphabet[random.below(alphabet.count)]
      }
      if random.below(3) == 0 { line.removeLast(random.below(line.count)) }
      let time = LogTime.parse(rfc3339: line.span)
      #expect(time.map(LogTime.range.contains) ?? true)
    }
  }
}

/// A number with zeros in front.
private func decimal(_ number: Int, _ digits: Int) -> String {
  let shown = String(number)
  return String(repeating: "0", count: max(0, digits - shown.count)) + shown
}
