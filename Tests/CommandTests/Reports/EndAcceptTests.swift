import Foundation
import TestSupport
import Testing

/// Findings that the pipeline file accepts, through the program, without a state.
struct EndAcceptTests {
  /// A day whose keys are unknown: its attestations are left out.
  private static let unknown: [UInt8] = Array(
    SyntheticDay.shared.lines.filter { !$0.contains("\"challenge\"") }
      .map { $0 + "\n" }.joined().utf8)

  private static func run(
    accept: String = ""
  ) throws -> (audit: EndAudit, outcome: Program.Outcome) {
    let audit = try EndAudit(settings: accept)
    try audit.scratch.write("a.jsonl", unknown)
    return (audit, try audit.run("a.jsonl", "--date", "2026-11-20"))
  }

  /// Returns the findings where nothing is accepted.
  private static func findings() throws -> [[String: String]] {
    let (audit, _) = try run()
    return try withExtendedLifetime(audit) { try audit.report.findingRows }
  }

  /// Returns the number and the list of accepted findings in `summary.json`.
  private static func accepted(_ audit: EndAudit) throws -> (number: Int?, list: [[String: Any]]?) {
    let summary = try #require(
      try JSONSerialization.jsonObject(with: Data(audit.report.bytes("summary.json")))
        as? [String: Any])
    let findings = try #require(summary["findings"] as? [String: Any])
    return (findings["accepted"] as? Int, summary["accepted"] as? [[String: Any]])
  }

  @Test func `unknown keys are found where nothing is accepted`() throws {
    let (audit, outcome) = try Self.run()
    #expect(outcome.status == 1)
    #expect(outcome.output.hasPrefix("3 findings\n"))
    #expect(!outcome.output.contains("accepted"))
    #expect(
      try audit.report.findingRows.map { $0["code"] } == Array(repeating: "key.unknown", count: 3))
    #expect(try Self.accepted(audit).number == nil)
    #expect(try Self.accepted(audit).list == nil)
  }

  @Test func `what is accepted is counted, and neither reported nor a reason to fail`() throws {
    let rows = try Self.findings()
    let first = try #require(rows[0]["fingerprint"])
    let keys = rows.compactMap { $0["key_id"] }
    let (audit, outcome) = try Self.run(
      accept: """
        accept:
          - {fingerprint: \(first), severity: critical, reason: a phone of ours, expires: 2026-11-20}
          - {code: key.unknown, key: \(keys[1]), severity: critical, reason: another, expires: 2026-12-31}
          - {code: key.unknown, key: \(keys[2]), severity: critical, reason: "the \\"third\\"", expires: 2027-01-31}
          - {fingerprint: 0123456789abcdef, severity: critical, reason: of long ago, expires: 2027-01-31}

        """)
    #expect(
      outcome
        == Program.Outcome(
          status: 0, output: "",
          errors:
            "attest-audit: notice: the finding 0123456789abcdef is accepted until 2027-01-31, "
            + "but no such finding is known\n"))
    #expect(try audit.report.findingRows.isEmpty)
    let (number, list) = try Self.accepted(audit)
    #expect(number == 3)
    #expect(list?.map { $0["count"] as? Int } == [1, 1, 1, 0])
    #expect(list?.map { $0["key_id"] as? String } == [nil, keys[1], keys[2], nil])
    #expect(list?[2]["reason"] as? String == "the \"third\"")
    // The keys' own rows tell everything all the same.
    #expect(try audit.report.keyRows.map { $0["findings"] } == ["1", "1", "1"])
    for row in try audit.report.keyRows {
      #expect(
        row["worst_severity"] == rows.first { $0["key_id"] == row["key_id"] }?["severity"])
    }
  }

  @Test func `what has expired is reported again, and told`() throws {
    let key = try #require(try Self.findings()[0]["key_id"])
    let (audit, outcome) = try Self.run(
      accept: """
        accept:
          - {code: key.unknown, key: \(key), severity: critical, reason: a phone of ours, expires: 2026-11-19}

        """)
    #expect(outcome.status == 1)
    #expect(
      outcome.errors.hasSuffix(
        "key.unknown of the key \(key) was accepted until 2026-11-19, and is accepted no longer\n"))
    #expect(try audit.report.findingRows.count == 3)
    #expect(try Self.accepted(audit).number == nil)
  }
}
