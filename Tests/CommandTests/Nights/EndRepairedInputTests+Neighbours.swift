import Foundation
import TestSupport
import Testing

/// Records that damage did not touch, and what it said or hid of them.
extension EndRepairedInputTests {
  @Test func `what a damaged line said of honest ones around it stands no more`() throws {
    let at = try #require(day.lines[..<60].lastIndex { $0.contains("\"payload\"") })
    var members = try day.lines.map { try Packed.gzip(Array(($0 + "\n").utf8)) }
    let whole = members
    // Its time comes before all others, and its counter is higher than theirs.
    let early = try day.line(at, ["time": "1026-03-01T00:00:00Z"])
    members[at] = try Packed.gzip(Array((early + "\n").utf8))
    members[at][members[at].count - 6] ^= 1
    try put("a.gz", members.flatMap(\.self))
    let first = try night(1, status: 2).findings
    #expect(first.contains { $0.hasPrefix("high counter.regression") }, "\(first)")
    try put("a.gz", whole.flatMap(\.self))
    #expect(try night(2).findings == [])
    let open = try Program.run(["state", "findings", "state"], in: scratch.path)
    #expect(open.output == "no open findings\n", "\(open)")
  }

  @Test(arguments: ["earlier", "later", "receipt"])
  func `what damage made of an attestation is forgotten with the whole file`(_ name: String) throws
  {
    let at = try #require(day.lines.firstIndex { $0.contains("o2NmbXR") })
    var members = try day.lines.map { try Packed.gzip(Array(($0 + "\n").utf8)) }
    let whole = members
    let line =
      switch name {
      case "earlier": try day.line(at, ["time": "1026-03-01T00:00:00Z"])
      case "later": try day.line(at, ["time": "2027-03-01T00:00:00Z"])
      default: day.lines[at].replacing(#/("token": ?"\S{3000})./#, with: { "\($0.1)Q" })
      }
    #expect(line != day.lines[at])
    members[at] = try Packed.gzip(Array((line + "\n").utf8))
    members[at][members[at].count - 6] ^= 1
    try put("a.gz", members.flatMap(\.self))
    #expect(try night(1, status: 2).findings.count > 1)
    try put("a.gz", whole.flatMap(\.self))
    #expect(try night(2).findings == [])
    let open = try Program.run(["state", "findings", "state"], in: scratch.path)
    #expect(open.output == "no open findings\n", "\(open)")
  }

  /// Tests both cases: `isOfKey` is true if the whole file has a record of the key in place of
  /// the damaged line.
  @Test(arguments: [true, false])
  func `what a damaged line hid of a request beside it is found once the file comes whole`(
    _ isOfKey: Bool
  ) throws {
    let keys = try day.lines.map { line in
      try (JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["keyId"]
        as? String
    }
    let (early, _) = try #require(
      day.lines.indices.lazy.compactMap { first in
        day.lines.indices.dropFirst(first + 1).first {
          keys[first] != nil && keys[$0] == keys[first] && day.lines[$0].contains("\"payload\"")
            && day.lines[first].contains("\"payload\"")
        }.map { (first, $0) }
      }.first)
    // A request behind one of a higher counter, and the same once more, which the server rejected.
    func request(_ time: String, _ decision: String) throws -> String {
      try day.line(
        early, ["time": "2026-03-02T\(time)Z", "decision": decision, "requestId": "at-\(time)"])
    }
    let others = day.lines.indices.filter { $0 != early }.map { day.lines[$0] }
    func log(_ lines: [String]) -> [UInt8] { Array(lines.map { $0 + "\n" }.joined().utf8) }
    try put("a.zst", try Packed.zstd(log(others.dropLast(9) + [request("12:00:00", "accepted")])))
    // By its damaged time it comes first, and the other is a retry.
    let rest = others.suffix(9)
    var broken = try Packed.gzip(log(rest + [request("11:55:00", "rejected")]))
    broken[broken.count - 6] ^= 1
    try put("d.gz", broken)
    let first = try night(1, status: 2).findings
    let ofDamage = first.filter { $0.hasPrefix("critical") }
    #expect(ofDamage == ["critical counter.regression logs/d.gz:10"], "\(first)")
    let last =
      try isOfKey
      ? request("12:05:00", "rejected")
      : #"{"time":"2026-03-02T11:55:00Z","kind":"challenge","challenge":"a challenge, long enough"}"#
    try put("d.gz", try Packed.gzip(log(rest + [last])))
    let second = try night(2, status: 1).findings
    let ofRequest = second.filter { $0.hasPrefix("critical") }
    #expect(ofRequest.count == 1, "\(second)")
    #expect(ofRequest.allSatisfy { $0.hasPrefix("critical counter.regression logs/a.zst:") })
    let whole = try night(3, status: 1, state: false)
    let open = try Program.run(
      ["state", "findings", "state", "--format", "csv"], in: scratch.path)
    #expect(
      try Set(CSVTable.rows(Array(open.output.utf8)).map { $0["fingerprint"] })
        == Set(whole.findingRows.map { $0["fingerprint"] }))
  }

  @Test(arguments: ["again", "grown"])
  func `a repaired file that comes once more takes nothing back`(_ form: String) throws {
    let at = try #require(day.lines[..<40].lastIndex { $0.contains("\"payload\"") })
    let replay = try day.line(
      at, ["time": "2027-01-01T00:00:00Z", "requestId": "again", "decision": "accepted"])
    var members = (day.lines[..<40] + [replay]).map { Array(($0 + "\n").utf8) }
    let whole = try members.map(Packed.gzip)
    var broken = whole
    broken[20] = try Packed.gzip(Array(("x" + day.lines[20].dropFirst() + "\n").utf8))
    broken[20][broken[20].count - 6] ^= 1
    try put("a.gz", broken.flatMap(\.self))
    #expect(try night(1, status: 2).findings.contains { $0.hasPrefix("critical replay.assertion") })
    try put("a.gz", whole.flatMap(\.self))
    #expect(try night(2).findings == [])
    if form == "grown" { members += day.lines[40...].map { Array(($0 + "\n").utf8) } }
    try put("b.zst", try Packed.zstd(Array(members.joined())))
    let third = try night(3)
    #expect(try CSVTable.rows(third.bytes("withdrawn.csv")).isEmpty)
    let open = try Program.run(
      ["state", "findings", "state", "--format", "csv"], in: scratch.path)
    #expect(open.output.contains("replay.assertion"), "\(open)")
  }

  @Test func `a replay of one instant stands though damage had touched one of the two`() throws {
    let name = "d.gz"
    let at = try #require(day.lines.firstIndex { $0.contains("o2NmbXR") })
    let first = try day.line(at, ["requestId": nil, "decision": "accepted", "agent": "Agent/7"])
    let second = try day.line(at, ["requestId": "r1", "decision": "accepted", "agent": "Agent/7"])
    func members(_ lines: [String]) throws -> [[UInt8]] {
      try lines.map { try Packed.gzip(Array(($0 + "\n").utf8)) }
    }
    var broken = try members([first, second.replacing("Agent/7", with: "Agent/6")])
    broken[1][broken[1].count - 6] ^= 1
    try put("d.gz", broken.flatMap(\.self))
    #expect(
      try night(1, status: 2).findings.contains { $0.hasPrefix("critical replay.attestation") })
    try FileManager.default.removeItem(atPath: scratch.path + "/logs/d.gz")
    for number in 2...3 {
      try put(name, try members([first, second]).flatMap(\.self))
      _ = try night(number)
      let open = try Program.run(
        ["state", "findings", "state", "--format", "csv"], in: scratch.path)
      #expect(open.output.contains("replay.attestation"), "night \(number): \(open)")
      #expect(!open.output.contains("stream.corrupt"), "night \(number): \(open)")
    }
  }

  @Test func `a whole copy at another place replaces what nothing had proven`() throws {
    let place = "logs/b/a.gz"
    let whole = try Packed.gzip(day.log())
    // One bit of what a member stores, which has no checksum but that of the whole.
    var broken: [UInt8]?
    for at in stride(from: whole.count - 60, to: whole.count / 2, by: -1) {
      var bytes = whole
      bytes[at] ^= 0x10
      try put("a.gz", bytes)
      let outcome = try Program.run(
        ["audit", "logs", "--pipeline", "pipeline.yaml", "--out", "try", "--quiet", "--overwrite"],
        in: scratch.path)
      let lines = try scratch.report("try").summary.records["lines"] ?? 0
      if outcome.status == 2, lines == day.lines.count {
        broken = bytes
        break
      }
    }
    try put("a.gz", try #require(broken))
    #expect(try night(1, status: 2).inputs == ["logs/a.gz corrupt"])
    try FileManager.default.removeItem(atPath: scratch.path + "/logs/a.gz")
    try put(
      String(place.dropFirst(5)), place.hasSuffix(".gz") ? whole : Array(day.log()))
    let second = try night(2)
    #expect(try second.findings == [])
    let open = try Program.run(["state", "findings", "state"], in: scratch.path)
    #expect(open.output == "no open findings\n", "\(open)")
    // What comes later is another log.
    let at = try #require(day.lines.firstIndex { $0.contains("\"payload\"") })
    let again = try day.line(at, ["time": "2027-01-01T00:00:00Z"]) + "\n"
    try put("later.jsonl", Array(again.utf8))
    #expect(try night(3, status: 1).findings.contains { $0.contains("replay.assertion") })
  }
}
