import Foundation
import TestSupport
import Testing

/// Inputs as log rotation, writers and disks leave them, night by night: every record is audited once.
struct EndInputNightsTests: InputNights {
  let scratch: Scratch
  let day: SyntheticDay

  init() throws {
    scratch = try Scratch()
    day = try SyntheticDay(keys: 4, assertions: 60, seed: 31)
    try day.writeSettings(to: scratch)
  }

  /// The lines of a night that were not read before.
  private func fresh(_ report: ReportFolder) throws -> Int {
    let records = try report.summary.records
    return (records["lines"] ?? 0) - (records["known"] ?? 0)
  }

  @Test func `a short log that grows and is rotated is audited once`() throws {
    let first = (0..<2).map {
      "{\"kind\":\"challenge\",\"time\":\(1_772_337_786_655 + $0),\"challenge\":\"0123456789abcdef\"}\n"
    }
    let lines = Array(first.joined().utf8)
    try put("app.log", lines)
    #expect(try fresh(night(1)) == 2)
    // The old file goes last: the new one cannot have its inode.
    try put("app.log.1.gz", try Packed.gzip(lines + day.log(0..<5)))
    try FileManager.default.removeItem(atPath: scratch.path + "/logs/app.log")
    let second = try night(2)
    #expect(try fresh(second) == 5)
    #expect(try second.findings == [])
    try put("app.log.2.zst", try Packed.zstd(lines + day.log()))
    try FileManager.default.removeItem(atPath: scratch.path + "/logs/app.log.1.gz")
    let third = try night(3)
    #expect(try fresh(third) == day.lines.count - 5)
    #expect(try third.findings == [])
  }

  @Test func `a log that is always being written is read to its last whole line every night`()
    throws
  {
    let whole = day.log()
    var lines = 0
    for (number, length) in [whole.count / 3, whole.count / 2, whole.count - 1].enumerated() {
      try put("live.log", Array(whole.prefix(length)), isOpen: true)
      let report = try night(number)
      #expect(try fresh(report) > 0)
      #expect(try report.findings == [])
      lines += try fresh(report)
    }
    try put("live.log", whole)
    lines += try fresh(night(9))
    #expect(lines == day.lines.count)
  }

  @Test func `a copy that is still being written brings nothing new, beside the log or later`()
    throws
  {
    let packed = try Packed.gzip(day.log())
    try put("a.log", day.log())
    try put("a.log.gz", Array(packed.prefix(packed.count / 2)), isOpen: true)
    let first = try night(1)
    #expect(try first.findings == [] && first.inputs == ["logs/a.log ok", "logs/a.log.gz ok"])
    #expect(try fresh(first) == day.lines.count)
    try put("a.log.gz", packed)
    let second = try night(2)
    #expect(try second.findings == [] && second.inputs == ["logs/a.log known", "logs/a.log.gz ok"])
    #expect(try second.summary.records["assertions"] == 0)
  }
}
