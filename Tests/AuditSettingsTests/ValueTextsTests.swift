import AppAttest
import AuditEngine
import Basics
import Testing

@testable import AuditSettings

struct ValueTextsTests {
  @Test(
    arguments: [
      ("0s", 0), ("500ms", 500), ("30s", 30_000), ("5m", 300_000), ("12h", 43_200_000),
      ("1d", 86_400_000), ("3650d", 315_360_000_000), ("0030s", 30_000),
    ] as [(String, Int64)])
  func `durations are read`(_ text: String, _ milliseconds: Int64) {
    #expect(SettingFormat<Int64>.duration.parse(text) == milliseconds)
  }

  @Test(arguments: [
    "", "s", "30", "-1s", "+1s", "1.5s", "1 s", " 1s", "1S", "1w", "1min", "3651d", "1d12h", "٣s",
    "99999999999999999999s", "18446744073709551615d", "0x1s",
  ])
  func `what is no duration is refused`(_ text: String) {
    #expect(SettingFormat<Int64>.duration.parse(text) == nil)
  }

  @Test(arguments: [
    ("67108864", 64 << 20), ("64MiB", 64 << 20), ("1GiB", 1 << 30), ("131072KiB", 128 << 20),
    ("1TiB", 1 << 40),
  ])
  func `sizes are read`(_ text: String, _ bytes: Int) {
    #expect(SettingFormat<Int>.memory.parse(text) == bytes)
  }

  @Test(arguments: [
    "", "MiB", "63MiB", "67108863", "1GB", "1G", "1gib", "-1GiB", "1.5GiB", "1 GiB",
    "99999999999TiB", "18446744073709551615TiB",
  ])
  func `what is no memory size is refused`(_ text: String) {
    #expect(SettingFormat<Int>.memory.parse(text) == nil)
  }

  @Test func `a window of two gibibytes is the largest`() {
    #expect(SettingFormat<Int>.zstdWindow.parse("2GiB") == 2 << 30)
    #expect(SettingFormat<Int>.zstdWindow.parse("2147483649") == nil)
  }

  @Test(arguments: [("0%", 0), ("10%", 0.1), ("12.5%", 0.125), ("100%", 1)] as [(String, Double)])
  func `shares are read`(_ text: String, _ share: Double) {
    #expect(SettingFormat<Double>.percent.parse(text) == share)
  }

  @Test(arguments: ["10", "0.1", "%", "101%", "-1%", "nan%", "1e1%", "10 %", "0x1p1%", "inf%"])
  func `what is no share is refused`(_ text: String) {
    #expect(SettingFormat<Double>.percent.parse(text) == nil)
  }

  @Test(arguments: [
    ("A.b", true), ("ABCDE12345.com.example.bank", true), ("A..", true), ("", false), ("A", false),
    (".b", false), ("A.", false), ("A. b", false), ("A.b\n", false),
  ])
  func `an app id is a prefix, a point and a bundle identifier`(_ text: String, _ isValid: Bool) {
    #expect((SettingFormat<String>.appID.parse(text) != nil) == isValid)
  }

  @Test(arguments: [
    ("2026-03-01", true), ("2024-02-29", true), ("2000-02-29", true), ("2026-02-29", false),
    ("1900-02-29", false), ("2026-13-01", false), ("2026-00-10", false), ("2026-01-00", false),
    ("2026-04-31", false), ("2026-3-1", false), ("26-03-01", false), ("2026-03-01T", false),
    ("", false), ("2026/03/01", false), ("+026-03-01", false),
  ])
  func `days are checked against the calendar`(_ text: String, _ isValid: Bool) {
    #expect(AuditDay.isValid(text) == isValid)
  }

  @Test(
    arguments: [
      (0, "0s"), (1, "1ms"), (1500, "1500ms"), (30_000, "30s"), (90_000, "90s"),
      (86_400_000, "1d"), (90_000_000, "25h"),
    ] as [(Int64, String)])
  func `durations are shown in the largest whole unit`(_ milliseconds: Int64, _ text: String) {
    #expect(DurationText.text(milliseconds) == text)
    #expect(DurationText.milliseconds(text) == milliseconds)
  }

  @Test(arguments: [(0, "0"), (1, "1"), (1536, "1536"), (4 << 20, "4MiB"), (1 << 30, "1GiB")])
  func `sizes are shown in the largest whole unit`(_ bytes: Int, _ text: String) {
    #expect(SizeText.text(bytes) == text)
    #expect(SizeText.bytes(text) == bytes)
  }
}
