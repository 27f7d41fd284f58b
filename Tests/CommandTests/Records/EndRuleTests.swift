import Foundation
import TestSupport
import Testing

/// The rules of single runs, on requests whose time, order and account a client chose.
struct EndRuleTests {
  private let audit: EndAudit
  private let day = SyntheticDay.shared
  /// The verdicts of a clean audit, one for each line.
  private let verdicts: [[String: String]]

  init() throws {
    audit = try EndAudit()
    try audit.scratch.write("a.jsonl", day.log())
    _ = try audit.run("a.jsonl", "--quiet", "--verdicts")
    verdicts = try audit.report.verdictRows
  }

  /// Returns the codes of a line in an audit of the day with some lines changed and others behind
  /// it.
  private func codes(
    of line: Int, changed: [Int: String] = [:], more: [String] = []
  ) throws -> [String] {
    let lines = day.lines.enumerated().map { changed[$0.offset] ?? $0.element } + more
    try audit.scratch.write("b.jsonl", lines.map { $0 + "\n" }.joined())
    _ = try audit.run("b.jsonl", "--quiet")
    return try audit.report.findingRows.filter { $0["line"] == "\(line)" }
      .map { "\($0["severity"] ?? "") \($0["code"] ?? "")" }.sorted()
  }

  private func milliseconds(_ line: Int) throws -> Int64 {
    let text = try #require(verdicts[line]["time"])
    let date = try Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text)
    return Int64((date.timeIntervalSince1970 * 1000).rounded())
  }

  @Test func `an assertion in front of its key's attestation is high, and critical if accepted`()
    throws
  {
    let attestation = try #require(verdicts.firstIndex { $0["kind"] == "attestation" })
    let first = try #require(
      verdicts.firstIndex {
        $0["kind"] == "assertion" && $0["key_id"] == verdicts[attestation]["key_id"]
      })
    let attested = try milliseconds(attestation)
    for (decision, lead, expected) in [
      (nil, 60_000, ["high key.used_before_attestation"]),
      ("accepted", 60_000, ["critical key.used_before_attestation"]),
      ("rejected", 60_000, ["low key.used_before_attestation"]),
      (nil, 30_000, []),
    ] as [(String?, Int64, [String])] {
      let changed = try day.line(first, ["time": attested - lead, "decision": decision])
      #expect(try codes(of: first + 1, changed: [first: changed]) == expected)
    }
  }

  @Test func `a refusal in front does not lower what is found of the request that was accepted`()
    throws
  {
    let index = try #require(verdicts.firstIndex { $0["kind"] == "assertion" })
    let late = try #require(verdicts.indices.map { try milliseconds($0) }.max()) + 60_000
    func request(_ decision: String, after: Int64, _ requestID: String) throws -> String {
      try day.line(
        index, ["decision": decision, "time": late + after, "requestId": requestID])
    }
    let below = "counter.regression"
    let copy = day.lines.count + 1
    for (first, requestID, after, of) in [
      ("accepted", "a", 0, ["critical \(below)"]), ("rejected", "a", 0, ["low \(below)"]),
    ] as [(String, String, Int64, [String])] {
      let alone = try request(first, after: after, requestID)
      #expect(try codes(of: index + 1, changed: [index: alone]) == of)
    }
    for (second, requestID, after, of, ofCopy) in [
      ("accepted", "b", 1000, ["critical \(below)"], "info replay.retry"),
      ("rejected", "b", 1000, ["low \(below)"], "info replay.retry"),
      ("accepted", "a", 0, ["critical \(below)"], "info record.duplicate"),
      ("accepted", "b", 601_000, ["low \(below)"], "critical replay.assertion"),
    ] as [(String, String, Int64, [String], String)] {
      let changed = [index: try request("rejected", after: 0, "a")]
      let more = [try request(second, after: after, requestID)]
      #expect(try codes(of: index + 1, changed: changed, more: more) == of)
      #expect(try codes(of: copy, changed: changed, more: more).contains(ofCopy))
      let row = try #require(audit.report.findingRows.first { $0["code"] == below })
      #expect(row["decision"] == (of[0].hasPrefix("critical") ? "accepted" : "rejected"))
      let isSaid = row["detail"]?.hasSuffix(". A copy of the request was accepted.") == true
      #expect(isSaid == of[0].hasPrefix("critical"))
      let page = try String(decoding: audit.report.bytes("report.html"), as: UTF8.self)
      let isThrough = page.contains(" should have been rejected")
      #expect(isThrough == [of[0], ofCopy].contains { $0.hasPrefix("critical") })
      let key = try audit.report.keyRows.first { $0["key_id"] == row["key_id"] }
      let worst = [of[0], ofCopy].contains { $0.hasPrefix("critical") } ? "critical" : "low"
      #expect(key?["worst_severity"] == worst)
    }
  }

  @Test(arguments: [
    ["rejected", "accepted"], ["accepted", "rejected"], ["rejected", "rejected"],
  ])
  func `a finding for several requests has the decision on the most severe, and the page says so`(
    _ decisions: [String]
  ) throws {
    let lines = day.lines.indices.filter { verdicts[$0]["kind"] == "assertion" }.prefix(2)
    let unknown = try zip(lines, decisions).map { index, decision in
      try day.line(
        index, ["keyId": String(repeating: "ab", count: 32), "decision": decision])
    }
    let found = try codes(of: day.lines.count + 1, more: unknown)
    let isAccepted = decisions.contains("accepted")
    #expect(found.contains(isAccepted ? "critical key.unknown" : "low key.unknown"))
    let row = try #require(audit.report.findingRows.first { $0["code"] == "key.unknown" })
    #expect(row["count"] == "2" && row["decision"] == (isAccepted ? "accepted" : "rejected"))
    let page = try String(decoding: audit.report.bytes("report.html"), as: UTF8.self)
    #expect(page.contains("<b>2 accepted requests") == isAccepted)
  }

  @Test func `a replay that one log says was refused is critical where the other says accepted`()
    throws
  {
    let index = try #require(verdicts.firstIndex { $0["kind"] == "assertion" })
    let time = try milliseconds(index) + 60_000
    for (first, second, expected) in [
      ("rejected", "rejected", "low"), ("rejected", "accepted", "critical"),
      ("accepted", "rejected", "critical"),
    ] {
      let more = try [first, second].map {
        try day.line(index, ["decision": $0, "time": time, "requestId": "again"])
      }
      #expect(
        try codes(of: day.lines.count + 1, more: more).contains("\(expected) replay.assertion"))
    }
  }
}
