import Foundation
import TestSupport
import Testing

/// Files that came damaged one night and whole another: every record is audited once, and what damage made
/// of others stands no more.
struct EndRepairedInputTests: InputNights {
  let scratch: Scratch
  let day: SyntheticDay

  init() throws {
    scratch = try Scratch()
    day = try SyntheticDay(keys: 4, assertions: 60, seed: 31)
    try day.writeSettings(to: scratch)
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
    let records = try second.summary.records
    #expect(try records["known"] == first.summary.records["lines"])
    #expect(records["lines"] == day.lines.count)
    #expect(
      try CSVTable.rows(second.bytes("withdrawn.csv")).contains { $0["code"] == "stream.corrupt" })
  }

  /// Damage to a line that can still be read.
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

  @Test
  func `a line that was cut off is withdrawn when the rest of it comes`() throws {
    let cut = Array(day.log().dropLast(40))
    for (number, bytes) in [cut, try Packed.gzip(cut).dropLast(12)].enumerated() {
      try put("\(number)", Array(bytes))
      let first = try night(2 * number, status: number == 0 ? 1 : 2)
      #expect(try first.findings.contains { $0.hasPrefix("medium record.malformed_json") })
      #expect(try first.findings.contains { $0.hasPrefix("high record.not_audited") })
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

  /// Plays members of a file, night by night: `.` whole, `c` with a wrong checksum alone, `x` with
  /// a line that damage has changed, `l` with one that it has made longer, `t` cut off.
  /// A night that other nights' lines repair is whole.
  @Test(
    arguments: [
      ([".l...", "....."], [2, 0]), ([".x...", ".t", "....."], [2, 2, 0]),
      ([".c...", ".x...", "....."], [2, 2, 0]), ([".....", ".x...", "....."], [0, 0, 0]),
      (["..x..", ".l...", ".....:"], [2, 0, 0]), (["...", ".x...", "....."], [0, 0, 0]),
    ] as [([String], [Int32])])
  func `whatever damage came in between, it is forgotten with the whole file`(
    _ nights: [String], _ statuses: [Int32]
  ) throws {
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
      #expect(outcome.status == statuses[number], "\(outcome)")
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
}
