import Testing

@testable import AuditLog

@Suite struct `Log time` {
  private func number(_ text: String) -> Int64? { LogTime.parse(number: Array(text.utf8).span) }

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
          LogTime.parse(number: plain.span, in: unit)
            == LogTime.parse(number: general.span, in: unit), "\(digits)")
      }
    }
    let time = Array("1767323045678901234".utf8)
    #expect(LogTime.parse(number: time.span, in: unit) == (unit == .ns ? 1_767_323_045_678 : nil))
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
}
