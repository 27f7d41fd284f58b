import AuditEngine
import AuditLog
import Foundation
import TestSupport
import Testing

@testable import AuditEngine
@testable import AuditReport

/// The additions of a state and accepted findings to the files of a report, to the byte.
struct StateReportTests {
  private static let accepted = [
    AcceptedCount(
      AcceptedFinding(
        .fingerprint(0xAB), severity: .critical, reason: "a \"test\" phone", expires: "2026-12-31"),
      count: 3),
    AcceptedCount(
      AcceptedFinding(
        .key(.keyUnknown, Rows.keyID), severity: .critical, reason: "moved", expires: "2027-01-31")),
  ]

  private static func closed(_ fingerprint: UInt64) -> ClosedFinding {
    ClosedFinding(
      code: .keyUnknown, keyID: Rows.keyID, fingerprint: fingerprint, firstSeen: "2026-11-19")
  }

  /// Returns the sample, whose second finding an earlier run reported.
  private static func night() throws -> (InMemoryResult, FindingReview) {
    let history = MemoryHistory()
    let earlier = history.beginRun(date: "2026-11-19")
    try earlier.findings.remember(Rows.full)
    history.commit()
    let review = FindingReview(history.beginRun(date: "2026-11-20"), day: "2026-11-20") {
      StateFigures(runs: 2, keys: 5, rememberedHashes: 700)
    }
    var result = InMemoryResult.sample()
    result.findings[1].clientDataHash = [UInt8](repeating: 0xFF, count: 16)
    result.totals.accepted = accepted
    result.closed = [closed(7)]
    result.closedCount = 1
    return (result, review)
  }

  private func report(_ result: InMemoryResult, _ review: FindingReview) throws -> Scratch {
    let scratch = try Scratch()
    var facts = Rows.facts
    facts.id = "20261120T010203Z-0123abcd"
    _ = try ReportDirectory(path: scratch.path + "/out", overwrite: false).write(
      result, review: review, progress: AuditProgress(), run: { facts })
    return scratch
  }

  @Test func `of many closed findings the first thousand are listed`() throws {
    var (result, review) = try Self.night()
    result.closed = (0..<1500).map { Self.closed($0) }
    result.closedCount = 2_000_000
    let text = try report(result, review).text("out/summary.json")
    #expect(text.components(separatedBy: "\"first_seen\"").count == 1001)
    #expect(text.contains("\"closedCount\": 2000000\n"))
    #expect(try JSONSchemas.judge([.init("summary", .json, text)]).map(\.errors) == [[]])
  }
}
