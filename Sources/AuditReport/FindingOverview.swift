package import AuditEngine
internal import AuditLog

/// What the printed block names of a run's findings, taken from the one pass over them. Used by one
/// thread.
package final class FindingOverview {
  /// A finding about a stream, as far as the block shows it.
  struct Damage: Equatable {
    /// The name of the source as it is: whatever a file can be called.
    var source: String
    /// One sentence, with the system's words.
    var detail: String
  }

  /// How many, and the first of the worst.
  private(set) var findings = FindingNews()
  /// The first ``FindingNews/leadingLimit`` findings about streams, in the order of the reports.
  private(set) var damages: [Damage] = []
  /// The number of all of them.
  private(set) var damageCount: UInt64 = 0

  package init() {}

  /// Returns the result with its findings passing by here, once.
  package func observing(_ result: any AuditResult) -> any AuditResult {
    ObservedResult(base: result, overview: self)
  }

  /// Takes the next finding that is not accepted; they come in the order of the reports.
  func add(_ finding: Finding, _ sources: SourceNames) {
    findings.add(finding, sources: sources)
    guard finding.position.line == 0 else { return }
    damageCount += 1
    guard damages.count < FindingNews.leadingLimit else { return }
    damages.append(Damage(source: sources[finding.position.source], detail: finding.detail))
  }
}

/// A result whose findings are looked at as they are read.
private struct ObservedResult: AuditResult {
  let base: any AuditResult
  let overview: FindingOverview

  var sources: [String] { base.sources }
  var firstSource: UInt32 { base.firstSource }
  var inputs: [InputRow] { base.inputs }
  var totals: AuditTotals { base.totals }
  var accounted: AccountedSources? { base.accounted }
  var closed: [ClosedFinding] { base.closed }
  var closedCount: UInt64 { base.closedCount }

  func earlierSource(_ source: UInt32) -> String { base.earlierSource(source) }

  func forEachFinding(_ body: (Finding) throws -> Void) throws {
    let sources = SourceNames(base)
    try base.forEachFinding { finding in
      if !finding.isAccepted { overview.add(finding, sources) }
      try body(finding)
    }
  }

  func forEachKey(_ body: (KeyRow) throws -> Void) throws { try base.forEachKey(body) }
  func forEachReject(_ body: (RejectRow) throws -> Void) throws { try base.forEachReject(body) }
  func forEachVerdict(_ body: (VerdictRow) throws -> Void) throws { try base.forEachVerdict(body) }
}
