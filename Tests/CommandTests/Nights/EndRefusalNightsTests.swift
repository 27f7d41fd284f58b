import Foundation
import TestSupport
import Testing

/// Requests that the server refused once and accepted once, a night apart.
struct EndRefusalNightsTests {
  private let audit: EndAudit
  private let day = SyntheticDay.shared

  init() throws { audit = try EndAudit() }

  /// Audits lines as a night of their own, and returns the status.
  private func night(_ name: String, _ lines: [String]) throws -> Int32 {
    try audit.scratch.write(name, lines.map { $0 + "\n" }.joined())
    return try audit.run(name, "--state", "state", "--settle", "0s", "--quiet").status
  }

  @Test(arguments: [true, false], [false, true])
  func `a finding of an accepted request outlasts its refused copy, whichever comes first`(
    _ isRetry: Bool, _ isLate: Bool
  ) throws {
    let index = try #require(day.lines.firstIndex { $0.contains("\"assertion\"") })
    // An early assertion comes again, months behind all.
    func request(_ decision: String, _ time: String, _ requestID: String) throws -> String {
      try day.line(index, ["decision": decision, "time": time, "requestId": requestID])
    }
    let refused = try request("rejected", "2026-06-30T00:00:00Z", "a")
    let accepted =
      try isRetry
      ? request("accepted", "2026-06-30T00:01:00Z", "b")
      : request("accepted", "2026-06-30T00:00:00Z", "a")
    var before = day.lines
    before.remove(at: index)
    let first = try night("one", before + [isLate ? accepted : refused])
    #expect(first == (isLate ? 1 : 0))
    let second = try night("two", [isLate ? refused : accepted])
    // What was critical with the same fingerprint is no news.
    #expect(second == (isLate && !isRetry ? 0 : 1))
    let open = try Program.run(
      ["state", "findings", "state", "--format", "csv"], in: audit.scratch.path)
    let below = try CSVTable.rows(Array(open.output.utf8)).filter {
      $0["code"] == "counter.regression"
    }
    #expect(below.map { $0["severity"] } == ["critical"])
  }
}
