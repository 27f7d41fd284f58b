import Foundation
import TestSupport
import Testing

/// The new findings in the reports of a state, and the folders of these reports.
struct EndNewsTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    try SyntheticDay.shared.writeSettings(to: scratch)
  }

  /// Writes half of the assertions of keys that nobody attested, with the server's decision on
  /// each.
  private func write(_ name: String, half: Int, decision: String) throws {
    let day = SyntheticDay.shared
    let assertions = day.lines.indices.filter { !day.lines[$0].contains("\"challenge\"") }
    let chosen = try assertions.enumerated().filter { $0.offset % 2 == half }.map { _, index in
      try day.line(index, ["decision": decision]) + "\n"
    }
    try scratch.write(name, Array(chosen.joined().utf8))
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -7200)],
      ofItemAtPath: scratch.path + "/" + name)
  }

  private func night(_ input: String, more: [String] = [], pipeline: String = "pipeline.yaml")
    throws
    -> Program.Outcome
  {
    try Program.run(
      ["audit", input, "--pipeline", pipeline, "--state", "state", "--out", "out", "--only-new"]
        + more, in: scratch.path)
  }

  @Test func `a key that was probed one night and accepted the next is new`() throws {
    try write("a", half: 0, decision: "rejected")
    try write("b", half: 1, decision: "accepted")
    #expect(try night("a").status == 0)
    let second = try night("b")
    #expect(second.status == 1)
    #expect(second.output.contains("critical  key.unknown"), "\(second.output)")
    let rows = try scratch.report("out.2").findingRows.filter { $0["code"] == "key.unknown" }
    #expect(!rows.isEmpty && rows.allSatisfy { $0["severity"] == "critical" })
    #expect(rows.allSatisfy { $0["times_seen"] == "2" })
    let open = try Program.run(
      ["state", "findings", "state", "--code", "key.unknown", "--severity", "critical"]
        + ["--format", "csv"], in: scratch.path)
    #expect(open.status == 0)
    #expect(try CSVTable.rows(Array(open.output.utf8)).count == rows.count)
  }

  @Test func `what was only ever accepted is new once its entry has run out`() throws {
    for (number, half) in [(0, 0), (1, 1)] {
      try write("\(number)", half: half, decision: "accepted")
    }
    try SyntheticDay.shared.writeSettings(
      to: scratch,
      more: """
        accept:
          - {code: key.unknown, severity: critical, reason: known, expires: 2026-11-01}

        """)
    #expect(try night("0", more: ["--date", "2026-11-01"]).status == 0)
    let listed = try Program.run(["state", "findings", "state"], in: scratch.path)
    #expect(listed.output.contains("key.unknown"), "accepted ones are among the open")
    let second = try night("1", more: ["--date", "2026-11-02"])
    #expect(second.status == 1 && second.errors.contains("is accepted no longer"), "\(second)")
  }

  @Test func `more lines outside the audit than on any night are new`() throws {
    let tokens = SyntheticDay.shared.lines.compactMap { $0.firstMatch(of: #/"token":"[^"]*"/#)?.0 }
    for (number, lines) in [[0], [1, 2, 3], [4, 5]].enumerated() {
      let text = lines.map { "{\"platform\":\"android\",\"body\":{\(tokens[$0])}}\n" }
      try scratch.write("\(number)/a.jsonl", Array(text.joined().utf8))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -7200)],
        ofItemAtPath: scratch.path + "/\(number)/a.jsonl")
      let outcome = try night("\(number)/a.jsonl")
      let report = scratch.report(number == 0 ? "out" : "out.\(number + 1)")
      #expect(try report.findings == ["high record.not_audited \(number)/a.jsonl:1"], "\(outcome)")
      #expect(outcome.status == (number == 2 ? 0 : 1), "\(number): \(outcome)")
    }
  }

  /// Runs a night over an input that lies in a folder of its own, and so has one name every night.
  private func night(_ number: Int, lines: [String]) throws -> (Program.Outcome, ReportFolder) {
    let input = "\(number)/a.jsonl"
    try scratch.write(input, lines.joined())
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -7200)],
      ofItemAtPath: scratch.path + "/" + input)
    let outcome = try night(input)
    return (outcome, scratch.report(number == 0 ? "out" : "out.\(number + 1)"))
  }

  @Test func `rejected requests outside the audit make no room for accepted ones`() throws {
    let tokens = SyntheticDay.shared.lines.compactMap { $0.firstMatch(of: #/"token":"[^"]*"/#)?.0 }
    /// The numbers of rejected and accepted requests of each night, and true if they are news.
    let nights = [
      (5, 0, true), (6, 0, false), (0, 3, true), (9, 2, false), (0, 3, false), (1, 4, true),
    ]
    var used = 0
    for (number, (rejected, accepted, isNews)) in nights.enumerated() {
      let decisions =
        Array(repeating: "rejected", count: rejected)
        + Array(repeating: "accepted", count: accepted)
      let lines = decisions.map { decision in
        used += 1
        return "{\"platform\":\"android\",\"decision\":\"\(decision)\","
          + "\"body\":{\(tokens[used % tokens.count])},\"n\":\(used)}\n"
      }
      let (outcome, report) = try night(number, lines: lines)
      #expect(outcome.status == (isNews ? 1 : 0), "\(number): \(outcome)")
      let row = try #require(try report.findingRows.first)
      #expect(row["count"] == "\(rejected + accepted)" && row["severity"] == "high")
      #expect(
        row["detail"]?.hasSuffix(
          rejected == 0
            ? "tokens."
            : accepted == 0
              ? "The server rejected them."
              : "The server rejected \(rejected) of \(rejected + accepted).") == true)
    }
  }

  @Test func `a route behind those that are named is new, and the same ones are not`() throws {
    let tokens = SyntheticDay.shared.lines.compactMap { $0.firstMatch(of: #/"token":"[^"]*"/#)?.0 }
    let token = try #require(tokens.first)
    let named = Array(0..<100)
    let nights: [([Int], Bool)] = [
      (named + Array(100..<120), true), (named + (100..<120).reversed(), false),
      (named.reversed() + Array(100..<120), false), (named + Array(101..<121), true),
    ]
    for (number, (shapes, isNews)) in nights.enumerated() {
      let lines = shapes.map { "{\"platform\":\"android\",\"route\($0)\":{\(token)}}\n" }
      let (outcome, report) = try night(number, lines: lines)
      #expect(outcome.status == (isNews ? 1 : 0), "\(number): \(outcome)")
      #expect(try report.findingRows.count == 101)
    }
  }

  @Test func `what is accepted as low is reported once it is critical`() throws {
    let accept = """
      accept:
        - {code: key.unknown, severity: low, reason: scanners, expires: 2099-12-31}
        - {code: counter.gap, severity: low, reason: of long ago, expires: 2099-12-31}

      """
    try SyntheticDay.shared.writeSettings(to: scratch, more: accept)
    try write("a", half: 0, decision: "rejected")
    try write("b", half: 1, decision: "accepted")
    let first = try night("a")
    #expect(first.status == 0)
    #expect(first.errors.contains("counter.gap is accepted until 2099-12-31, but no such finding"))
    #expect(!first.errors.contains("key.unknown is accepted"))
    let report = scratch.report("out")
    #expect(try report.findingRows.allSatisfy { $0["code"] != "key.unknown" })
    let accepted = try CSVTable.rows(report.bytes("accepted.csv"))
    #expect(!accepted.isEmpty && accepted.allSatisfy { $0["code"] == "key.unknown" })
    #expect(try night("b").status == 1)
    let second = scratch.report("out.2")
    #expect(try second.findingRows.contains { $0["code"] == "key.unknown" })
    #expect(try CSVTable.rows(second.bytes("accepted.csv")).isEmpty)
  }

  @Test func `a second run of the day does not take the first one's report`() throws {
    try write("a", half: 0, decision: "accepted")
    #expect(try night("a").status == 1)
    let before = try scratch.report("out").bytes("findings.csv")
    for (number, flags) in [(2, []), (3, ["--overwrite"])] as [(Int, [String])] {
      let again = try night("a", more: flags)
      #expect(again.status == 0)
      #expect(again.errors.contains("out exists already: the report goes to out.\(number)"))
      #expect(!again.errors.contains("--overwrite"))
      #expect(try scratch.report("out.\(number)").findingRows.isEmpty)
    }
    #expect(try scratch.report("out").bytes("findings.csv") == before)
    // Without a state nothing has changed.
    let alone = try Program.run(
      ["audit", "a", "--pipeline", "pipeline.yaml", "--out", "out"], in: scratch.path)
    #expect(alone.status == 73 && alone.errors.contains("out exists already"))
  }
}
