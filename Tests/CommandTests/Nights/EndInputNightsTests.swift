import Foundation
import TestSupport
import Testing

/// Inputs as log rotation, writers and disks leave them, night by night: every record is audited once.
struct EndInputNightsTests {
  private let scratch: Scratch
  private let day: SyntheticDay

  init() throws {
    scratch = try Scratch()
    day = try SyntheticDay(keys: 4, assertions: 60, seed: 31)
    try day.writeSettings(to: scratch)
  }

  /// Puts a file into the folder of logs; it was written an hour ago unless it is being written.
  private func put(_ name: String, _ bytes: [UInt8], isOpen: Bool = false) throws {
    try scratch.write("logs/" + name, bytes)
    guard !isOpen else { return }
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3600)],
      ofItemAtPath: scratch.path + "/logs/" + name)
  }

  /// A night: what it came to, and the lines of its input.
  @discardableResult
  private func night(
    _ number: Int, status: Int32 = 0, state: Bool = true
  ) throws -> ReportFolder {
    let outcome = try Program.run(
      ["audit", "logs", "--pipeline", "pipeline.yaml", "--out", "night-\(number)", "--quiet"]
        + (state ? ["--state", "state"] : []), in: scratch.path)
    #expect(outcome.status == status, "night \(number): \(outcome.errors)")
    return scratch.report("night-\(number)")
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

  @Test func `a file that is damaged one night and whole the next is audited once`() throws {
    let frames = try stride(from: 0, to: day.lines.count, by: 12).map {
      try Packed.zstd(day.log($0..<min($0 + 12, day.lines.count)))
    }
    var broken = frames
    for at in frames[2].count / 2..<frames[2].count { broken[2][at] ^= 0xA5 }
    try put("a.zst", broken.flatMap { $0 })
    let first = try night(1, status: 2)
    #expect(try first.inputs == ["logs/a.zst corrupt"])
    try put("a.zst", frames.flatMap { $0 })
    let second = try night(2)
    #expect(try second.findings == [])
    // What was read before is no line of this night, and no blank one.
    #expect(try second.summary.records["blank"] == 0)
    let lines = try first.summary.records["lines"] ?? 0
    #expect(lines > 30)
    #expect(try second.summary.records["lines"] ?? 0 >= day.lines.count - lines)
    #expect(try second.summary.records["lines"] ?? 0 < 15)
    #expect(
      try CSVTable.rows(second.bytes("withdrawn.csv")).contains { $0["code"] == "stream.corrupt" })
  }

  @Test func `a damaged file that came whole has the lines of the whole one`() throws {
    let at = try #require(
      (24..<36).first { day.lines[$0].contains("\"payload\"") })
    let again = try day.line(at, ["time": "2027-01-01T00:00:00Z"]) + "\n"
    let frames =
      try stride(from: 0, to: day.lines.count, by: 12).map {
        try Packed.zstd(day.log($0..<min($0 + 12, day.lines.count)))
      } + [Packed.zstd(Array(again.utf8))]
    var broken = frames
    for place in frames[2].count / 3..<frames[2].count { broken[2][place] ^= 0xA5 }
    try put("a.zst", broken.flatMap { $0 })
    let first = try night(1, status: 2)
    #expect(try !first.findings.contains { $0.contains("replay") })
    try put("a.zst", frames.flatMap { $0 })
    let second = try night(2, status: 1)
    let replay = try #require(
      try second.findingRows.first { $0["code"] == "replay.assertion" })
    #expect(replay["line"] == "\(day.lines.count + 1)" && replay["related_line"] == "\(at + 1)")
  }

  /// What damage may make of a line that can still be read.
  private static let flips: [(String, @Sendable (String) -> String)] = [
    ("time", { $0.replacing(#/("time":"[^"]*\.\d\d)\d/#, with: { "\($0.1)9" }) }),
    ("keyId", { $0.replacing(#/("keyId":"..)./#, with: { "\($0.1)X" }) }),
    ("token", { $0.replacing(#/("token":"\S{60})./#, with: { "\($0.1)Q" }) }),
    ("name", { $0.replacing("\"token\"", with: "\"toxen\"") }),
    ("JSON", { $0.replacing("\"token\":", with: "\"token\";") }),
  ]

  @Test(arguments: Self.flips.map(\.0))
  func `what damage made of a line stands no more once the file comes whole`(_ name: String)
    throws
  {
    let flip = try #require(Self.flips.first { $0.0 == name }?.1)
    let at = try #require(
      day.lines.lastIndex { $0.contains("\"payload\"") && flip($0) != $0 })
    var lines = day.lines
    lines[at] = flip(lines[at])
    // The frame's checksum fails, and what it holds is read all the same.
    var broken = try Packed.zstd(Array(lines.map { $0 + "\n" }.joined().utf8))
    broken[broken.count - 1] ^= 1
    try put("a.zst", broken)
    let first = try night(1, status: 2)
    #expect(try first.findings.contains("high stream.corrupt logs/a.zst:0"))
    try put("a.zst", try Packed.zstd(day.log()))
    let second = try night(2)
    #expect(try second.findings == [])
    #expect(try second.summary.records["assertions"] == 1)
    let open = try Program.run(["state", "findings", "state"], in: scratch.path)
    #expect(open.output == "no open findings\n", "\(open)")
    let withdrawn = try CSVTable.rows(second.bytes("withdrawn.csv"))
    #expect(withdrawn.count == (try first.findings.count))
    #expect(withdrawn.allSatisfy { $0["detail"]?.hasPrefix("Withdrawn, ") == true })
    // Nothing of it comes back.
    try put("b.zst", try Packed.zstd(day.log() + Array("\n".utf8)))
    #expect(try night(3).findings == [])
  }

  @Test func `another log that shares lines with a damaged one is read whole`() throws {
    let assertions = day.lines.filter { $0.contains("\"payload\"") }.suffix(6)
    let own = day.lines.filter { !assertions.contains($0) }
    func log(_ lines: [String]) -> [UInt8] { Array(lines.map { $0 + "\n" }.joined().utf8) }
    var broken = try Packed.zstd(log(own.dropLast(3) + assertions.prefix(4)))
    broken[broken.count - 1] ^= 1
    try put("a.zst", broken)
    #expect(try night(1, status: 2).findings == ["high stream.corrupt logs/a.zst:0"])
    // Requests that came again, among others, byte for byte as they were logged before.
    let replayed = Array(own.dropLast(3).suffix(own.count / 2 + 5)) + assertions.prefix(4)
    try put("a.zst", log([own[own.count - 1]] + replayed + [assertions.last ?? ""]))
    let second = try night(2, status: 1)
    let findings = try second.findings
    #expect(
      findings.count { $0.contains(" replay.") || $0.contains(" record.duplicate") } > 30,
      "\(findings)")
  }

  @Test func `a shorter copy of a damaged file withdraws nothing`() throws {
    let line = try #require(day.lines.last { $0.contains("\"payload\"") })
    // The last request again: a replay that a server accepted.
    var broken = try Packed.zstd(day.log() + Array((line + "\n").utf8))
    broken[broken.count - 1] ^= 1
    try put("a.zst", broken)
    #expect(try night(1, status: 2).findings.count > 1)
    try put("a.zst", try Packed.zstd(day.log(0..<day.lines.count - 5)))
    #expect(try CSVTable.rows(night(2).bytes("withdrawn.csv")).isEmpty)
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

  @Test func `a line that was cut off is withdrawn when the rest of it comes`() throws {
    let cut = Array(day.log().dropLast(40))
    for (number, bytes) in [cut, try Packed.gzip(cut).dropLast(12)].enumerated() {
      try put("\(number)", Array(bytes))
      let first = try night(2 * number, status: number == 0 ? 0 : 2)
      #expect(try first.findings.contains { $0.hasPrefix("medium record.malformed_json") })
      try put("\(number)", number == 0 ? day.log() : try Packed.gzip(day.log()))
      #expect(try night(2 * number + 1).findings == [])
      let open = try Program.run(["state", "findings", "state"], in: scratch.path)
      #expect(open.output == "no open findings\n", "\(open)")
      try FileManager.default.removeItem(atPath: scratch.path + "/state")
      try FileManager.default.removeItem(atPath: scratch.path + "/logs/\(number)")
    }
  }

  @Test func `damage in one place, and then in another, is forgotten with the whole file`() throws {
    let lines = day.lines.map { Array(($0 + "\n").utf8) }
    func log(damagedAt number: Int) -> [UInt8] {
      Array(lines.enumerated().map { $0.offset == number ? [] : $0.element }.joined())
    }
    for (index, number) in [10, 20].enumerated() {
      // The checksum of the file is wrong, and a line is not there.
      var packed = try Packed.gzip(log(damagedAt: number))
      packed[packed.count - 6] ^= 1
      try put("a.gz", packed)
      _ = try night(index + 1, status: 2)
    }
    try put("a.gz", try Packed.gzip(day.log()))
    #expect(try night(3).findings == [])
    let open = try Program.run(["state", "findings", "state"], in: scratch.path)
    #expect(open.output == "no open findings\n", "\(open)")
  }

  /// Members of a file, night by night: `.` whole, `c` with a wrong checksum alone, `x` with a line that
  /// damage has changed, `l` with one that it has made longer, `t` cut off.
  @Test(arguments: [
    [".l...", "....."], [".x...", ".t", "....."], [".c...", ".x...", "....."],
    [".....", ".x...", "....."], ["..x..", ".l...", ".....:"],
  ])
  func `whatever damage came in between, it is forgotten with the whole file`(_ nights: [String])
    throws
  {
    for (number, night) in nights.enumerated() {
      var bytes: [UInt8] = []
      for (index, form) in night.enumerated() {
        var lines = Array(day.lines[min(index, 5) * 8..<min(index, 5) * 8 + 8])
        if form == "x" { lines[3] = "!" + lines[3].dropFirst() }
        if form == "l" { lines[3] = "!!!" + lines[3] }
        var member = try Packed.gzip(Array(lines.map { $0 + "\n" }.joined().utf8))
        if form == "t" { member.removeLast(member.count / 3) }
        if "cxl".contains(form) { member[member.count - 6] ^= 1 }
        bytes += member
      }
      try put("a.gz", bytes)
      let outcome = try Program.run(
        [
          "audit", "logs", "--pipeline", "pipeline.yaml", "--out", "night-\(number)", "--quiet",
          "--state", "state",
        ], in: scratch.path)
      #expect(outcome.status == (night.contains { "cxlt".contains($0) } ? 2 : 0), "\(outcome)")
    }
    let open = try Program.run(["state", "findings", "state"], in: scratch.path)
    #expect(open.output == "no open findings\n", "\(nights): \(open)")
  }

  @Test func `damage of the first line is forgotten though the file grew or its end was hit too`()
    throws
  {
    for (name, ends, count) in [("both.gz", [0, 39], 40), ("grown.gz", [0], day.lines.count)] {
      let members = try day.lines.map { try Packed.gzip(Array(($0 + "\n").utf8)) }
      var broken = Array(members[..<40])
      for line in ends {
        broken[line] = try Packed.gzip(Array(("x" + day.lines[line].dropFirst() + "\n").utf8))
        broken[line][broken[line].count - 6] ^= 1
      }
      try put(name, broken.flatMap(\.self))
      #expect(
        try night(1, status: 2).findings.contains("high stream.corrupt logs/\(name):0"))
      try put(name, members[..<count].flatMap(\.self))
      #expect(try night(2).findings == [])
      let open = try Program.run(["state", "findings", "state"], in: scratch.path)
      #expect(open.output == "no open findings\n", "\(open)")
      for path in ["state", "logs/\(name)", "night-1", "night-2"] {
        try FileManager.default.removeItem(atPath: scratch.path + "/" + path)
      }
    }
  }

  @Test func `a finding stands as long as one of its records does, whatever damage made of others`()
    throws
  {
    let at = try #require(day.lines[..<40].lastIndex { $0.contains("\"payload\"") })
    func log(_ request: String, _ count: Int) throws -> [UInt8] {
      let replay = try day.line(
        at, ["time": "2027-01-01T00:00:00Z", "requestId": request, "decision": "accepted"])
      let lines = day.lines[..<40] + [replay] + day.lines[40..<count]
      return Array(lines.map { $0 + "\n" }.joined().utf8)
    }
    try put("a.jsonl", try log("request-a", 42))
    #expect(try night(1, status: 1).findings.contains { $0.hasPrefix("critical replay.assertion") })
    // The file has grown, and damage makes another record of the line, with the same finding.
    var broken = try Packed.gzip(log("request-b", day.lines.count))
    broken[broken.count - 6] ^= 1
    try put("a.jsonl", broken)
    #expect(try night(2, status: 2).findings.contains { $0.hasPrefix("critical replay.assertion") })
    try put("a.jsonl", try log("request-a", day.lines.count))
    let third = try night(3)
    #expect(
      try CSVTable.rows(third.bytes("withdrawn.csv")).map { $0["code"] } == ["stream.corrupt"])
    let open = try Program.run(
      ["state", "findings", "state", "--format", "csv"], in: scratch.path)
    #expect(open.output.contains("replay.assertion"), "\(open)")
  }

  @Test func `what was cut off twice, or before its first line, is forgotten as well`() throws {
    let packed = try Packed.gzip(day.log())
    for (number, cuts) in [[12], [30, 60], [packed.count / 3, packed.count / 2]].enumerated() {
      let name = "\(number).gz"
      for (index, length) in cuts.enumerated() {
        try put(name, Array(packed.prefix(length)))
        #expect(
          try night(10 * number + index, status: 2).findings.contains(
            "high stream.truncated logs/\(name):0"))
      }
      try put(name, packed)
      #expect(try night(10 * number + 9).findings == [])
      let open = try Program.run(["state", "findings", "state"], in: scratch.path)
      #expect(open.output == "no open findings\n", "\(open)")
      try FileManager.default.removeItem(atPath: scratch.path + "/state")
      try FileManager.default.removeItem(atPath: scratch.path + "/logs/\(name)")
    }
  }

  @Test func `an empty file makes up for no damage, and hides none`() throws {
    let nothing = Array(try Packed.gzip(day.log()).prefix(12))
    try put("a.gz", nothing)
    #expect(try night(1, status: 2).findings == ["high stream.truncated logs/a.gz:0"])
    // Neither of another name nor in its place.
    try put("b.log", [])
    #expect(try CSVTable.rows(night(2).bytes("withdrawn.csv")).isEmpty)
    try put("a.gz", try Packed.gzip([]))
    #expect(try CSVTable.rows(night(3).bytes("withdrawn.csv")).isEmpty)
    // Others of which nothing is left are told of, each by itself.
    try put("c.gz", nothing)
    try put("d.gz", Array(nothing.prefix(11)))
    #expect(
      try night(4, status: 2).findings == [
        "high stream.truncated logs/c.gz:0", "high stream.truncated logs/d.gz:0",
      ])
  }

  @Test func `a last line that damage had cut off is read when its file comes whole`() throws {
    let line = try #require(day.lines.last { $0.contains("\"payload\"") })
    let packed = try Packed.gzip(day.log() + Array(line.utf8))
    // All of the content came, and its checksum did not.
    try put("a.gz", Array(packed.dropLast(8)))
    let first = try night(1, status: 2).findings
    #expect(!first.contains { $0.contains(" replay.") }, "\(first)")
    try put("a.gz", packed)
    let second = try night(2, status: 1).findings
    #expect(second.contains { $0.hasPrefix("critical replay.assertion") }, "\(second)")
    #expect(try night(3).findings == [])
  }

  @Test func `a checksum that comes right withdraws the damage`() throws {
    var packed = try Packed.gzip(day.log())
    packed[packed.count - 6] ^= 1
    try put("a.gz", packed)
    #expect(try night(1, status: 2).findings == ["high stream.corrupt logs/a.gz:0"])
    try put("a.gz", try Packed.gzip(day.log()))
    let second = try night(2)
    #expect(try second.findings == [])
    #expect(
      try CSVTable.rows(second.bytes("withdrawn.csv")).map { $0["code"] } == ["stream.corrupt"])
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
