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

  @Test func `a short log that grows and is rotated is audited once`() throws {
    let first = (0..<2).map {
      "{\"kind\":\"challenge\",\"time\":\(1_772_337_786_655 + $0),\"challenge\":\"0123456789abcdef\"}\n"
    }
    let lines = Array(first.joined().utf8)
    #expect(lines.count < 4096)
    try put("app.log", lines)
    #expect(try night(1).summary.records["lines"] == 2)
    // The old file goes last: the new one cannot have its inode.
    try put("app.log.1.gz", try Packed.gzip(lines + day.log(0..<5)))
    try FileManager.default.removeItem(atPath: scratch.path + "/logs/app.log")
    let second = try night(2)
    #expect(try second.summary.records["lines"] == 5)
    #expect(try second.findings == [])
    try put("app.log.2.zst", try Packed.zstd(lines + day.log()))
    try FileManager.default.removeItem(atPath: scratch.path + "/logs/app.log.1.gz")
    let third = try night(3)
    #expect(try third.summary.records["lines"] == day.lines.count - 5)
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
      let seen = try report.summary.records["lines"] ?? 0
      #expect(seen > 0)
      #expect(try report.findings == [])
      lines += seen
    }
    try put("live.log", whole)
    lines += try night(9).summary.records["lines"] ?? 0
    #expect(lines == day.lines.count)
  }

  @Test func `an input waits since it was first found waiting, however often it is written to`()
    throws
  {
    let whole = day.log()
    let name = "attest_audit_oldest_pending_input_timestamp_seconds"
    func waits(_ number: Int, _ bytes: [UInt8], age: Double) throws -> Double? {
      try put("live.log", bytes, isOpen: true)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -age)],
        ofItemAtPath: scratch.path + "/logs/live.log")
      let outcome = try Program.run(
        [
          "audit", "logs", "--pipeline", "pipeline.yaml", "--out", "night-\(number)", "--quiet",
          "--state", "state", "--metrics", "m.prom",
        ], in: scratch.path)
      #expect(outcome.status == 0, "\(outcome.errors)")
      let text = String(decoding: try scratch.bytes("m.prom"), as: UTF8.self)
      return try PrometheusText(text).value(name, [:])
    }
    let now = Date.now.timeIntervalSince1970
    // Half a line, night after night, and always just written.
    let first = try #require(try waits(1, Array(whole.prefix(100)), age: 300))
    #expect(abs(first - (now - 300)) < 60)
    #expect(try waits(2, Array(whole.prefix(150)), age: 60) == first)
    #expect(try waits(3, Array(whole.prefix(200)), age: 0) == first)
    // What is whole is read, and then nothing waits.
    let lines = day.log(0..<4)
    #expect(try waits(4, lines + Array("{".utf8), age: 0) == nil)
    #expect(try waits(5, lines + Array("{\"".utf8), age: 0) == nil)
  }

  @Test func `a part of a known log, as while it is being compressed again, is nothing new`() throws
  {
    let packed = try Packed.gzip(day.log())
    try put("a.log", day.log())
    #expect(try night(1).findings == [])
    try FileManager.default.removeItem(atPath: scratch.path + "/logs/a.log")
    try put("a.log.gz", Array(packed.prefix(packed.count / 2)), isOpen: true)
    let second = try night(2)
    #expect(try second.findings == [])
    #expect(try second.summary.records["assertions"] == 0)
    try put("a.log.gz", packed)
    let third = try night(3)
    #expect(try third.findings == [] && third.inputs == ["logs/a.log.gz known"])
    // A copy that is cut off, and stays so, is told of with the line that it cuts, and holds nothing
    // new.
    try put("b.gz", Array(packed.prefix(packed.count / 2)))
    let fourth = try night(4, status: 2)
    let findings = try fourth.findings
    #expect(
      findings == [
        "high stream.truncated logs/b.gz:0", "medium record.malformed_json logs/b.gz:12",
      ], "\(findings)")
  }

  @Test func `what begins as a known log does, and goes on otherwise, is audited whole`() throws {
    try put("a.log", day.log())
    #expect(try night(1).findings == [])
    // Another gateway's log: so far requests of the first one, sent again.
    try put("b.log", day.log(0..<day.lines.count - 5), isOpen: true)
    let second = try night(2)
    #expect(try second.findings == [])
    #expect(try second.summary.records["lines"] == 0)
    #expect(try second.inputs.contains("logs/b.log waiting"))
    try put("b.log", day.log(0..<day.lines.count - 5) + Array("{\"more\":1}\n".utf8))
    let third = try night(3, status: 1)
    #expect(try third.findings.contains { $0.hasPrefix("critical replay.assertion logs/b.log") })
    // And one that was cut off.
    let packed = try Packed.gzip(day.log())
    try put("c.gz", Array(packed.prefix(packed.count / 2)))
    #expect(try night(4, status: 2).findings.contains("high stream.truncated logs/c.gz:0"))
    try put("c.gz", try Packed.gzip(day.log(0..<day.lines.count - 4) + Array("{\"o\":1}\n".utf8)))
    let fifth = try night(5, status: 1)
    #expect(try fifth.findings.contains { $0.hasPrefix("critical replay.assertion logs/c.gz") })
  }

  @Test func `a log and its compressed copy in one run are audited once`() throws {
    try put("a.log", day.log())
    try put("a.log.gz", try Packed.gzip(day.log()))
    for state in [false, true] {
      let report = try night(state ? 1 : 2, state: state)
      #expect(try report.findings == [])
      #expect(try report.summary.records["lines"] == day.lines.count)
    }
  }

  @Test func `two new inputs are two, however much of one the other begins with`() throws {
    // Another gateway's log that begins with the same requests, sent again: they have no identifiers.
    let lines = try day.lines.indices
      .filter { day.lines[$0].hasPrefix("{") && !day.lines[$0].contains("\"platform\"") }
      .map { try day.line($0, ["requestId": nil]) + "\n" }
    try put("a.log", Array(lines.prefix(20).joined().utf8))
    try put("b.zst", try Packed.zstd(Array(lines.joined().utf8)))
    let alone = try night(1, status: 1, state: false)
    let found = try alone.findings
    #expect(found.contains { $0.hasPrefix("critical replay.") }, "\(found)")
    let first = try night(2, status: 1)
    #expect(try first.findings == found)
    #expect(try first.summary.records["lines"] == lines.count + 20)
    // The same behind a beginning that is known.
    try FileManager.default.removeItem(atPath: scratch.path + "/state")
    try FileManager.default.removeItem(atPath: scratch.path + "/logs")
    let banner = Array("{\"start\":1,\"platform\":\"none\"}\n".utf8)
    try put("k.log", banner)
    _ = try night(3)
    try put("a.log", banner + Array(lines.prefix(20).joined().utf8))
    try put("b.zst", try Packed.zstd(banner + Array(lines.joined().utf8)))
    #expect(try night(4, status: 1).findings.count == found.count)
  }

  @Test func `an unfinished copy of an input of the same run is nothing new`() throws {
    let packed = try Packed.gzip(day.log())
    try put("a.log", day.log())
    try put("a.log.gz", Array(packed.prefix(packed.count / 2)), isOpen: true)
    let first = try night(1)
    #expect(try first.findings == [])
    #expect(try first.summary.records["lines"] == day.lines.count)
    #expect(try first.inputs == ["logs/a.log ok", "logs/a.log.gz waiting"])
    try put("a.log.gz", packed)
    #expect(try night(2).inputs.allSatisfy { $0.hasSuffix(" known") })
    // One that stays cut off is told of, and waits for nothing.
    try FileManager.default.removeItem(atPath: scratch.path + "/state")
    try put("a.log.gz", Array(packed.prefix(packed.count / 2)))
    let third = try night(3, status: 2)
    #expect(
      try third.findings == [
        "high stream.truncated logs/a.log.gz:0", "medium record.malformed_json logs/a.log.gz:12",
      ])
    // What turns out to be another log is read whole.
    try put(
      "a.log.gz", try Packed.gzip(day.log(0..<day.lines.count - 4) + Array("{\"o\":1}\n".utf8)))
    let fourth = try night(4, status: 1)
    #expect(
      try fourth.findings.contains { $0.hasPrefix("critical replay.assertion logs/a.log.gz") })
  }

  @Test func `a known log that comes back shorter, with identifiers, was logged twice`() throws {
    let lines = try day.lines.indices
      .filter { day.lines[$0].hasPrefix("{") && !day.lines[$0].contains("\"platform\"") }
      .map { try day.line($0, ["requestId": "r\($0)"]) + "\n" }
    try put("a.log", Array(lines.joined().utf8))
    #expect(try night(1).findings == [])
    try put("a.log", Array(lines.prefix(30).joined().utf8))
    let findings = try night(2).findings
    #expect(findings.count > 20, "\(findings)")
    #expect(findings.allSatisfy { $0.hasPrefix("info record.duplicate logs/a.log") })
  }
}
