internal import AppAttest
package import AuditEngine
internal import AuditLog

/// The findings of a run that the printed block names, collected in the one pass over them. It is
/// used by one thread.
package final class FindingOverview {
  /// A finding about a stream, as far as the block shows it.
  struct Damage: Equatable {
    /// The name of the source, unchanged. Files can have any name.
    var source: String
    /// One sentence, with the system's words.
    var detail: String
  }

  /// A finding of an earlier run that this one withdraws, as far as the block shows it.
  struct Withdrawn: Equatable {
    var severity: Severity
    var code: FindingCode
    var keyID: Digest256?
    /// The name of the source, unchanged. Files can have any name.
    var source: String
    var line: UInt64
    var fingerprint: UInt64
    /// The reason, one sentence.
    var reason: String
  }

  /// The number of findings, and the first of the worst.
  private(set) var findings = FindingNews()
  /// The first ``FindingNews/leadingLimit`` findings about streams, in the order of the reports.
  private(set) var damages: [Damage] = []
  /// The number of all findings about streams.
  private(set) var damageCount: UInt64 = 0
  /// The first withdrawn findings of each severity, by `Severity.rawValue`.
  private var withdrawnBySeverity = [[Withdrawn]](
    repeating: [], count: Severity.allCases.count)

  package init() {}

  /// Returns a result with the same contents whose findings are also collected here, once.
  package func observing(_ result: any AuditResult) -> any AuditResult {
    ObservedResult(base: result, overview: self)
  }

  /// Takes the next finding that is not accepted. Findings come in the order of the reports.
  func add(_ finding: Finding, _ sources: SourceNames) {
    findings.add(finding, sources: sources)
    guard finding.position.line == 0 else { return }
    damageCount += 1
    guard damages.count < FindingNews.leadingLimit else { return }
    damages.append(Damage(source: sources[finding.position.source], detail: finding.detail))
  }

  /// The first of the worst findings that the run withdraws.
  var withdrawn: [Withdrawn] {
    Array(withdrawnBySeverity.reversed().joined().prefix(FindingNews.leadingLimit))
  }

  /// Takes the next finding that the run withdraws. Findings come in the order of the reports.
  func add(withdrawn finding: Finding, _ sources: SourceNames) {
    let index = Int(finding.severity.rawValue)
    guard withdrawnBySeverity[index].count < FindingNews.leadingLimit else { return }
    withdrawnBySeverity[index].append(
      Withdrawn(
        severity: finding.severity, code: finding.code, keyID: finding.keyID,
        source: sources[finding.position.source], line: finding.position.line,
        fingerprint: finding.fingerprint, reason: finding.detail))
  }
}

/// A result whose findings are collected as they are read.
private struct ObservedResult: AuditResult {
  let base: any AuditResult
  let overview: FindingOverview

  var sources: [String] { base.sources }
  var firstSource: UInt32 { base.firstSource }
  var inputs: [InputRow] { base.inputs }
  var totals: AuditTotals { base.totals }
  var accounted: ReadInputs? { base.accounted }
  var closed: [ClosedFinding] { base.closed }
  var closedCount: UInt64 { base.closedCount }
  var likelyCauses: [LikelyCause] { base.likelyCauses }
  var blindSpots: [BlindSpot] { base.blindSpots }

  var earlierSource: @Sendable (UInt32) -> String { base.earlierSource }

  func forEachFinding(_ body: (Finding) throws -> Void) throws {
    let sources = SourceNames(base)
    try base.forEachFinding { finding in
      if !finding.isAccepted { overview.add(finding, sources) }
      try body(finding)
    }
  }

  func forEachWithdrawn(_ body: (Finding, Sighting) throws -> Void) throws {
    let sources = SourceNames(base)
    try base.forEachWithdrawn { finding, sighting in
      overview.add(withdrawn: finding, sources)
      try body(finding, sighting)
    }
  }

  func forEachKey(_ body: (KeyRow) throws -> Void) throws { try base.forEachKey(body) }
  func forEachBuild(_ body: (BuildRow) throws -> Void) throws -> BuildTotals {
    try base.forEachBuild(body)
  }
  func forEachReject(_ body: (RejectRow) throws -> Void) throws { try base.forEachReject(body) }
  func forEachEvents(_ body: (EventRows) throws -> Void) throws { try base.forEachEvents(body) }

  func forEachVerdict(_ body: (VerdictRow) throws -> Void) throws { try base.forEachVerdict(body) }
}
