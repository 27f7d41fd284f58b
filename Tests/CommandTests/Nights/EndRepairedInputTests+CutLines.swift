import Foundation
import TestSupport
import Testing

/// Lines in which the stream was damaged, though all their bytes came: they are not judged, and so are not what
/// was read of a whole file.
extension EndRepairedInputTests {
  /// The places of a wrong checksum around a line.
  enum CutPlace: CaseIterable {
    case lastLine, beforeLineEnd, insideLine
  }

  /// Returns a request that came again, as a line.
  private func replay() throws -> String {
    let at = try #require(day.lines.firstIndex { $0.contains("\"payload\"") })
    return try day.line(at, ["time": "2027-01-01T00:00:00Z", "requestId": "again"])
  }

  /// Returns a log with a replay, whole and with a checksum that fails in the replay's line.
  private func logs(_ place: CutPlace, _ format: String) throws -> (
    whole: [UInt8], damaged: [UInt8]
  ) {
    func pack(_ bytes: [UInt8]) throws -> [UInt8] {
      try format == "gz" ? Packed.gzip(bytes) : Packed.zstd(bytes)
    }
    let line = Array(try replay().utf8)
    let half = day.lines.count / 2
    let front = day.log(0..<half)
    let rest = day.log(half..<day.lines.count)
    let parts: [[UInt8]]
    switch place {
    case .lastLine: parts = [front + rest + line, []]
    case .beforeLineEnd: parts = [front + line, [0x0A] + rest]
    case .insideLine:
      parts = [
        front + line.prefix(line.count / 2),
        line.suffix(line.count - line.count / 2) + [0x0A] + rest,
      ]
    }
    var damaged = try pack(parts[0])
    damaged[damaged.count - (format == "gz" ? 6 : 1)] ^= 1
    if !parts[1].isEmpty { damaged += try pack(parts[1]) }
    return (try pack(parts.flatMap { $0 }), damaged)
  }

  private func tellsReplay(_ night: ReportFolder) throws -> Bool {
    try night.findings.contains { $0.contains("critical replay.assertion") }
  }

  @Test(arguments: CutPlace.allCases, ["gz", "zst"])
  func `a line that damage cut is judged with the whole file`(_ place: CutPlace, _ format: String)
    throws
  {
    let (whole, damaged) = try logs(place, format)
    try put("a.log", damaged)
    #expect(try !tellsReplay(night(1, status: 2)))
    try put("a.log", whole)
    let second = try night(2, status: 1)
    #expect(try second.findings.count == 1 && tellsReplay(second))
    // It goes on, and nothing is read again.
    let more = format == "gz" ? try Packed.gzip([0x0A, 0x0A]) : try Packed.zstd([0x0A, 0x0A])
    try put("a.log", whole + more)
    #expect(try night(3).findings == [])
  }

  @Test(arguments: CutPlace.allCases, ["a.log", "z.log"])
  func `it is judged where the whole file lies beside it, with a state and without`(
    _ place: CutPlace, _ name: String
  ) throws {
    let (whole, damaged) = try logs(place, "gz")
    try put(name, damaged)
    try put("m.log", whole)
    for (number, state) in [true, false].enumerated() {
      let night = try night(number + 1, status: 2, state: state)
      #expect(try tellsReplay(night))
      let findings = try night.findings
      #expect(findings.contains("high stream.corrupt logs/\(name):0"), "\(findings)")
      #expect(findings.count { $0.contains("record.duplicate") } == 0, "\(findings)")
    }
  }

  @Test func `it is judged though what is before and behind it was proven`() throws {
    let line = try replay() + "\n"
    let half = day.lines.count / 2
    let front = day.log(0..<half) + Array(line.utf8.prefix(40))
    let rest = Array(line.utf8.dropFirst(40)) + day.log(half..<day.lines.count)
    let junk = Array("no frame at all".utf8)
    try put("a.zst", try Packed.zstd(front) + junk + Packed.zstd(rest))
    #expect(try !tellsReplay(night(1, status: 2)))
    try put("a.zst", try Packed.zstd(front + rest))
    let second = try night(2, status: 1)
    #expect(try second.findings.count == 1 && tellsReplay(second))
  }

  @Test func `damage is told of a file all of whose bytes are known, and nothing is read of it`()
    throws
  {
    let (whole, damaged) = try logs(.beforeLineEnd, "gz")
    try put("m.log", whole)
    #expect(try tellsReplay(night(1, status: 1)))
    try FileManager.default.removeItem(atPath: scratch.path + "/logs/m.log")
    try put("a.log", damaged)
    let findings = try night(2, status: 2).findings
    #expect(findings.contains("high stream.corrupt logs/a.log:0"))
    #expect(findings.count { !$0.contains("record.malformed_json") } == 1, "\(findings)")
    #expect(try night(3).findings == [])
  }

  @Test func `it is judged where what was damaged had grown`() throws {
    let (whole, damaged) = try logs(.lastLine, "zst")
    try put("a.log", try Packed.zstd(day.log()))
    #expect(try night(1).findings == [])
    try put("b.log", damaged)
    #expect(try !tellsReplay(night(2, status: 2)))
    try put("c.log", whole)
    #expect(try tellsReplay(night(3, status: 1)))
  }
}
