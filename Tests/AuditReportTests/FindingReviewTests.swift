import AppAttest
import AuditEngine
import Foundation
import TestSupport
import Testing

@testable import AuditEngine
@testable import AuditReport

/// The new findings, from run to run.
struct FindingReviewTests {
  private let history = MemoryHistory()

  private static func figures() -> StateFigures {
    StateFigures(runs: 3, keys: 5, rememberedHashes: 700)
  }

  private static func result(_ findings: [Finding]) -> InMemoryResult {
    var result = InMemoryResult()
    result.findings = findings
    for finding in findings {
      if finding.isAccepted { continue }
      result.totals.findingsBySeverity[Int(finding.severity.rawValue)] += 1
      result.totals.findingsByCode[Int(finding.code.rawValue)] += 1
    }
    return result
  }

  private static func finding(
    _ fingerprint: UInt64, _ severity: Severity = .high, _ code: FindingCode = .keyUnknown,
    isAccepted: Bool = false
  ) -> Finding {
    var finding = Rows.full
    finding.fingerprint = fingerprint
    finding.severity = severity
    finding.code = code
    finding.isAccepted = isAccepted
    return finding
  }

  /// Runs once without a report, and returns the news.
  @discardableResult
  private func night(
    _ date: String, _ findings: [Finding], mode: RunMemory.Mode = .advance
  ) throws -> FindingNews {
    let review = FindingReview(
      history.beginRun(mode: mode, date: date), day: date, figures: Self.figures)
    try review.review(Self.result(findings), progress: AuditProgress())
    history.commit()
    return review.news
  }

  /// Runs once with a report, and returns its rows and the news.
  private func report(
    _ date: String, _ findings: [Finding], mode: RunMemory.Mode = .advance
  ) throws -> (rows: [[String: String]], summary: [String: Any], news: FindingNews) {
    let review = FindingReview(
      history.beginRun(mode: mode, date: date), day: date, figures: Self.figures)
    let scratch = try Scratch()
    let notices = try ReportDirectory(path: scratch.path + "/out", overwrite: false).write(
      Self.result(findings), review: review, progress: AuditProgress(),
      run: { Rows.facts })
    #expect(notices.isEmpty)
    history.commit()
    let rows = try CSVTable.rows(Array(scratch.text("out/findings.csv").utf8))
    let summary = try JSONSerialization.jsonObject(
      with: Data(scratch.text("out/summary.json").utf8))
    return (rows, try #require(summary as? [String: Any]), review.news)
  }

  @Test func `a fingerprint that comes again in one run counts once`() throws {
    let (rows, _, news) = try report(
      "2026-11-20", [Self.finding(1), Self.finding(1), Self.finding(1)])
    #expect(rows.map { $0["times_seen"] } == ["1", "1", "1"])
    #expect(news.count == 1)
    #expect(
      try report("2026-11-21", [Self.finding(1), Self.finding(1)]).rows.map { $0["times_seen"] }
        == ["2", "2"])
    var expected = Sighting(firstSeen: "2026-11-20", times: 2, worst: .high)
    expected.records = 2
    #expect(history.state.findings[1] == expected)
  }

  @Test func `a finding that was closed and is found again is news, and counted on`() throws {
    try night("2026-11-20", [Self.finding(1)])
    try history.beginRun(date: "2026-11-21").findings.close(1)
    history.commit()
    let (rows, _, news) = try report("2026-11-22", [Self.finding(1)])
    #expect(rows.map { $0["first_seen"] } == ["2026-11-20"])
    #expect(rows.map { $0["times_seen"] } == ["2"])
    #expect(news.count == 1)
    #expect(history.state.findings[1]?.isClosed == false)
    #expect(try report("2026-11-23", [Self.finding(1)]).news.count == 0)
  }

  @Test func `a run in reference mode knows what was and leaves nothing`() throws {
    try night("2026-11-20", [Self.finding(1)])
    for _ in 0..<2 {
      let (rows, summary, news) = try report(
        "2026-11-25", [Self.finding(1), Self.finding(2)], mode: .reference)
      #expect(rows.map { $0["first_seen"] } == ["2026-11-20", "2026-11-25"])
      #expect(rows.map { $0["times_seen"] } == ["2", "1"])
      #expect(news.count == 1)
      #expect((summary["state"] as? [String: Any])?["mode"] as? String == "reference")
    }
    #expect(history.state.findings.keys.sorted() == [1])
  }

  @Test func `an accepted finding is remembered and in no report`() throws {
    let findings = [Self.finding(1), Self.finding(2, isAccepted: true)]
    let (rows, _, news) = try report("2026-11-20", findings)
    #expect(rows.map { $0["fingerprint"] } == ["0000000000000001"])
    #expect(news.count == 1)
    #expect(history.state.findings[2]?.times == 1)
    // Once it is accepted no longer, it is no news.
    let (later, _, nothing) = try report("2026-11-21", [Self.finding(2)])
    #expect(later.map { $0["first_seen"] } == ["2026-11-20"])
    #expect(later.map { $0["times_seen"] } == ["2"])
    #expect(nothing.count == 0)
  }

  @Test
  func `rows with one fingerprint are one new finding, as severe as the worst (detection.R67)`()
    throws
  {
    let news = try night(
      "2026-11-20",
      [
        Self.finding(1, .low), Self.finding(1, .critical), Self.finding(1, .high),
        Self.finding(2, .low),
      ])
    #expect(news.bySeverity == [0, 1, 0, 0, 1] && news.rowCount == 4)
    #expect(
      news.leading.map(\.finding.fingerprint) == [1, 2] && news.count(of: Rows.full.keyID) == 2)
  }

  @Test func `of many of one key three of each severity lead, the most severe first`() throws {
    var findings = (0..<1000).map { Self.finding(UInt64($0), .high) }
    findings += (1000..<1003).map { Self.finding(UInt64($0), .critical) }
    findings += (2000..<3000).map { Self.finding(UInt64($0), .medium) }
    for index in findings.indices { findings[index].position.line = UInt64(index) + 1 }
    let news = try night("2026-11-20", findings)
    #expect(
      news.leading.map(\.finding.position.line) == [1001, 1002, 1003, 1, 2, 3, 1004, 1005, 1006])
    #expect(news.count == 2003)
    findings += (1003..<2000).map { Self.finding(UInt64($0) + 100_000, .critical) }
    let later = try night("2026-11-21", findings)
    #expect(later.leading.count == 3)
    #expect(later.leading.allSatisfy { $0.finding.severity == .critical })
  }
}
