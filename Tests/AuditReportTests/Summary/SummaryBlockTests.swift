import AuditLog
import TestSupport
import Testing

@testable import AuditEngine
@testable import AuditReport

struct SummaryBlockTests {
  /// Returns the block of a result whose findings an earlier night has not reported, unless they are in
  /// `known`.
  private func text(
    _ result: InMemoryResult, known: [Finding]? = nil, reasons: [String] = [],
    report: String? = nil, onlyNew: Bool = false, coloured: Bool = false
  ) throws -> String {
    var review = FindingReview()
    if let known {
      let history = MemoryHistory()
      let earlier = history.beginRun(date: "2026-11-19")
      for finding in known { try earlier.findings.remember(finding) }
      history.commit()
      review = FindingReview(history.beginRun(), day: "2026-11-20")
    }
    try review.review(result, progress: AuditProgress())
    try review.reviewWithdrawn(result)
    return SummaryBlock(
      result, review, reasons: reasons, report: report, onlyNew: onlyNew, coloured: coloured
    ).text
  }

  private static func finding(
    _ severity: Severity, _ code: FindingCode, _ fingerprint: UInt64 = 0x00AB_CDEF_0123_4567
  ) -> Finding {
    var finding = Rows.full
    (finding.severity, finding.code, finding.fingerprint) = (severity, code, fingerprint)
    return finding
  }

  @Test func `without a state the worst are named, and why inputs cannot be read`() throws {
    var result = InMemoryResult.sample()
    var stream = Self.finding(.high, .streamUnreadable, 1)
    (stream.position, stream.keyID, stream.time) = (Position(source: 0, line: 0), nil, nil)
    stream.detail = "The input cannot be read: no such \u{1B}[31mfile."
    var accepted = Rows.full
    accepted.isAccepted = true
    result.findings = [stream, Rows.reject, Rows.full, accepted]
    #expect(
      try text(result, reasons: ["2 of 3 lines of a.jsonl could not be read"]) == """
        2 of 3 lines of a.jsonl could not be read
        day/a.jsonl: The input cannot be read: no such \\u001b[31mfile.
        2 findings
        At least one accepted request should have been rejected
          without a key, 2 findings
            high      stream.unreadable      The input cannot be read: no such \\u001b[3…
                      0000000000000001  day/a.jsonl
            medium    record.malformed_json  The line is not a JSON object.
                      0000000000000001  day/a.jsonl:9
          key 0001020304050607, 1 finding
            high      counter.regression     2026-03-01T12:00:00.123Z
                      00abcdef01234567  day/b, c.jsonl.zst:42
          high       1
          medium     1
            counter.regression                    1
            record.malformed_json                 1
        keys     1 attested
        records  0 attestations, 2 assertions, 0 challenges, 1 unreadable
        inputs   2 files, 1 unreadable

        """)
  }

  @Test func `codes stand by what they were found with, then by how many there are`() throws {
    var result = InMemoryResult()
    for (code, count, worst) in [
      (FindingCode.challengeWeak, 9, Severity.low), (.counterGap, 3, .critical),
      (.replayAssertion, 7, .low), (.keyUnknown, 4, .critical), (.streamCorrupt, 4, .critical),
    ] {
      result.totals.findingsByCode[Int(code.rawValue)] = UInt64(count)
      result.totals.worstByCode[Int(code.rawValue)] = worst
    }
    let codes = try text(result).split(separator: "\n").filter { $0.hasPrefix("    ") }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(
      codes == [
        "key.unknown", "stream.corrupt", "counter.gap", "challenge.weak", "replay.assertion",
      ])
  }

  @Test(arguments: [
    (UInt64(0), "0"), (999, "999"), (1000, "1,000"), (.max, "18,446,744,073,709,551,615"),
  ])
  func `numbers are grouped`(_ value: UInt64, _ text: String) {
    #expect(SummaryNumber.grouped(value) == text)
  }

  /// A night: two new findings of four, one closed.
  private static var night: (result: InMemoryResult, known: [Finding]) {
    var result = InMemoryResult.sample()
    result.findings = [
      finding(.high, .counterRegression, 1), finding(.critical, .counterRepeated, 2),
      finding(.high, .counterRegression, 3), finding(.medium, .recordMalformedJSON, 4),
    ]
    result.totals.findingsBySeverity = [0, 0, 1, 2, 1]
    result.totals.findingsByCode[Int(FindingCode.counterRepeated.rawValue)] = 1
    result.totals.findingsByCode[Int(FindingCode.counterRegression.rawValue)] = 2
    result.inputs[0].isGrown = true
    result.closedCount = 1
    return (result, Array(result.findings[2...]))
  }

  @Test func `with a state the new ones stand first, and apart from those already reported`() throws
  {
    let (result, known) = Self.night
    let whole = """
      2 new findings, 2 already reported
      At least one accepted request should have been rejected
        key 0001020304050607, 2 findings
          critical  counter.repeated    2026-03-01T12:00:00.123Z
                    0000000000000002  day/b, c.jsonl.zst:42
          high      counter.regression  2026-03-01T12:00:00.123Z
                    0000000000000001  day/b, c.jsonl.zst:42
                                                new         already reported
        critical                                1           0
        high                                    1           1
        medium                                  0           1
          counter.repeated                      1           0
          counter.regression                    1           1
          record.malformed_json                 0           1
      keys     1 attested
      records  0 attestations, 2 assertions, 0 challenges, 1 unreadable
      withdrawn 1 earlier finding
        and 1 more
      inputs   2 files, 1 unreadable, 1 grown
      report   reports/today

      """
    #expect(try text(result, known: known, report: "reports/today") == whole)
    var coloured = try text(result, known: known, report: "reports/today", coloured: true)
    for code in ["1;31", "31", "33"] {
      #expect(coloured.contains("\u{1B}[\(code)m"))
      coloured = coloured.replacing("\u{1B}[\(code)m", with: "")
    }
    #expect(coloured.replacing("\u{1B}[0m", with: "") == whole)
    let onlyNew = try text(result, known: known, onlyNew: true)
    #expect(onlyNew.hasPrefix("2 new findings\n") && onlyNew.contains("\n  high       1\n"))
  }

  @Test func `whatever a file is called, a line stays a line`() throws {
    var result = InMemoryResult()
    result.sources = [
      "\u{1B}]0;owned\u{7}\ncritical  counter.repeated\r\u{202E}"
        + String(repeating: "x", count: 5000) + ".log"
    ]
    var finding = Self.finding(.critical, .counterRepeated)
    finding.position = Position(source: 0, line: .max)
    result.findings = [finding]
    let text = try text(result)
    #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "…" || (" "..."~").contains($0) })
    let lines = text.split(separator: "\n")
    #expect(lines[4].hasSuffix("xxx.log:281474976710655"))
    #expect(lines.allSatisfy { $0.count < 200 })
  }
}
