import Foundation
import TestSupport
import Testing

/// Damaged copies of files that are whole.
extension EndRepairedInputTests {
  /// Returns the log in frames of twelve lines.
  private func frames() throws -> [[UInt8]] {
    try stride(from: 0, to: day.lines.count, by: 12).map {
      try Packed.zstd(day.log($0..<min($0 + 12, day.lines.count)))
    }
  }

  /// Returns the frames with one of them unreadable.
  private func broken(_ frames: [[UInt8]], at place: Int) -> [UInt8] {
    var frames = frames
    for at in frames[place].count / 2..<frames[place].count { frames[place][at] ^= 0xA5 }
    return frames.flatMap { $0 }
  }

  /// Returns whether a finding is about damage, or about a line that damage made.
  private func isOfDamage(_ finding: String) -> Bool {
    ["stream.", "record.malformed_json"].contains { finding.contains(" \($0)") }
  }

  @Test(arguments: ["a.zst", "z.zst"], [true, false])
  func `a damaged copy of a whole file is audited once, on one night or on two`(
    _ copy: String, _ isLater: Bool
  ) throws {
    let frames = try frames()
    try put("m.zst", frames.flatMap { $0 })
    if isLater { #expect(try night(1).findings == []) }
    try put(copy, broken(frames, at: 2))
    let second = try night(2, status: 2)
    let findings = try second.findings
    #expect(findings.contains { $0.contains("stream.corrupt logs/\(copy)") })
    #expect(findings.allSatisfy(isOfDamage), "\(findings)")
    #expect(
      try second.summary.records["assertions"] ?? 0 <= (isLater ? 0 : day.lines.count))
    #expect(try night(3).findings == [])
  }

  @Test func `the first frame of a copy may be the damaged one`() throws {
    let frames = try frames()
    try put("m.zst", frames.flatMap { $0 })
    #expect(try night(1).findings == [])
    try put("a.zst", broken(frames, at: 0))
    let findings = try night(2, status: 2).findings
    #expect(findings.allSatisfy(isOfDamage), "\(findings)")
    #expect(try night(3).findings == [])
  }

  @Test func `what a damaged copy has more is audited`() throws {
    let at = try #require(day.lines.firstIndex { $0.contains("\"payload\"") })
    let again = try day.line(at, ["time": "2027-01-01T00:00:00Z"]) + "\n"
    let frames = try frames()
    try put("m.zst", frames.flatMap { $0 })
    #expect(try night(1).findings == [])
    try put("a.zst", try broken(frames, at: 2) + Packed.zstd(Array(again.utf8)))
    let second = try night(2, status: 2)
    let replay = try #require(try second.findingRows.first { $0["code"] == "replay.assertion" })
    #expect(replay["related_source"] == "logs/m.zst" && replay["related_line"] == "\(at + 1)")
  }

  @Test func `a request that two hosts log in the same words is one of each`() throws {
    let at = try #require(day.lines.firstIndex { $0.contains("\"payload\"") })
    func log(_ lines: [String]) -> [UInt8] { Array(lines.map { $0 + "\n" }.joined().utf8) }
    let request = try day.line(at, ["requestId": nil])
    try put("m.log", log([request] + day.lines[(at + 1)...]))
    _ = try night(1, status: nil)
    // The other host's log, of which damage left two lines.
    var other = try Packed.zstd(log([request, "{}"]))
    other[other.count - 1] ^= 1
    try put("b.zst", other)
    #expect(try night(2, status: nil).findings.contains { $0.contains("replay.assertion") })
  }

  @Test func `another damaged log of the same length is audited whole`() throws {
    try put("m.zst", try frames().flatMap { $0 })
    #expect(try night(1).findings == [])
    // The same requests in another order: no copy has them so.
    let replayed =
      Array(day.lines.dropFirst(day.lines.count / 2).reversed())
      + day.lines.prefix(day.lines.count / 2).reversed()
    var other = try Packed.zstd(Array(replayed.map { $0 + "\n" }.joined().utf8))
    other[other.count - 1] ^= 1
    try put("a.zst", other)
    let findings = try night(2, status: 2).findings
    #expect(
      findings.count { $0.contains(" replay.") || $0.contains(" record.duplicate") } > 30,
      "\(findings)")
  }

  @Test(arguments: ["gz", "zst"], [true, false])
  func `a copy that was cut off is known the next night`(_ format: String, _ isLater: Bool) throws {
    func pack(_ bytes: [UInt8]) throws -> [UInt8] {
      try format == "gz" ? Packed.gzip(bytes) : frames().flatMap { $0 }
    }
    let whole = try pack(day.log())
    try put("m.\(format)", whole)
    if isLater { #expect(try night(1).findings == []) }
    try put("a.\(format)", Array(whole.prefix(whole.count * 2 / 3)))
    let second = try night(2, status: 2)
    let findings = try second.findings
    #expect(findings.contains("high stream.truncated logs/a.\(format):0"))
    #expect(findings.allSatisfy(isOfDamage), "\(findings)")
    let third = try night(3)
    #expect(try third.findings == [])
    #expect(try third.inputs.allSatisfy { $0.hasSuffix(" known") })
    try put("a.\(format)", whole)
    #expect(try night(4).findings == [])
    let open = try Program.run(["state", "findings", "state"], in: scratch.path)
    #expect(open.output == "no open findings\n", "\(open)")
  }
}
