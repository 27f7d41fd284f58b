import AppAttest
import Testing

struct DetailTextTests {
  @Test func `texts are quoted, and cut between characters`() {
    #expect(DetailText.quoted("a\u{1B}b") == "\"a\u{1B}b\"")
    #expect(DetailText.quoted([]) == "\"\"" && DetailText.quoted(nil as [UInt8]?) == "none")
    #expect(DetailText.quoted([0xFF]) == "\"\u{FFFD}\"")
    let long = DetailText.quoted(String(repeating: "😀", count: 5000))
    #expect(long == "\"" + String(repeating: "😀", count: 24) + "…\"")
    #expect(
      DetailText.quoted("x" + String(repeating: "é", count: 90)).contains("\u{FFFD}") == false)
  }

  @Test func `bytes are hex, and cut`() {
    #expect(DetailText.hex([0, 0xAB, 0xFF]) == "00abff")
    #expect(DetailText.hex([]) == "empty" && DetailText.hex(nil) == "none")
    #expect(DetailText.hex([UInt8](repeating: 1, count: 60_000)).unicodeScalars.count == 97)
  }

  @Test func `lists are cut`() {
    #expect(DetailText.list([]) == "none" && DetailText.list(["a", "b"]) == "a, b")
    #expect(DetailText.list((0..<10).map { "\($0)" }) == "0, 1, 2, 3, 4, 5, 6, 7 and 2 more")
  }

  @Test(arguments: [
    (UInt64(0), "0 ms"), (999, "999 ms"), (1000, "1 s"), (9001, "9001 ms"), (30_001, "30.001 s"),
    (300_000, "5 min"), (86_400_000, "1 d"), (90_000_000, "1 d 1 h"), (1_229_282, "20 min 29 s"),
    // More than a limit of an hour is not an hour.
    (3_600_001, "1 h 1 ms"), (570_000, "9 min 30 s"), (.max, "213503982334 d 14 h"),
  ])
  func `durations have one or two units that a person reads`(_ value: UInt64, _ text: String) {
    #expect(DetailText.duration(value) == text)
  }
}
