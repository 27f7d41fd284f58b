internal import AuditLog

/// The severity of each code, by the server's decision (`detection.md`) and the pipeline file.
struct SeverityPolicy: Sendable {
  /// The severities, indexed by decision, then code.
  private let table: [[Severity]]
  /// The severities of codes of records with a token that could not be audited, unless rejected.
  private let withToken: [FindingCode: Severity]
  /// The codes that are more severe than `info`, whatever the server decided.
  let aboveInfo: CodeSet
  /// The codes that speak against a record that the server rejected.
  var faults: CodeSet { aboveInfo.subtracting(CodeSet([.challengeWeak])) }

  init(overrides: [FindingCode: Severity]) {
    let hiding = FindingCode.allCases.filter { $0.hidesAcceptedRequest && overrides[$0] == nil }
    withToken = Dictionary(uniqueKeysWithValues: hiding.map { ($0, .high) })
    table = [Decision.unknown, .accepted, .rejected].map { decision in
      FindingCode.allCases.map { code in
        if let severity = overrides[code] { return severity }
        let severity = code.defaultSeverity
        guard code.followsDecision else {
          return decision == .accepted && code.hidesAcceptedRequest
            ? max(severity, .high) : severity
        }
        switch decision {
        case .unknown: return severity
        case .accepted: return severity == .high ? .critical : severity
        case .rejected: return min(severity, .low)
        }
      }
    }
    aboveInfo = CodeSet(
      FindingCode.allCases.filter { (overrides[$0] ?? $0.defaultSeverity) > .info })
  }

  /// Returns the severity for a record. One with a token that could not be audited is at least high
  /// unless the server rejected it (`detection.R50`).
  func severity(_ code: FindingCode, _ decision: Decision, hasToken: Bool) -> Severity {
    let severity = table[Int(decision.rawValue)][Int(code.rawValue)]
    return hasToken && decision != .rejected ? max(severity, withToken[code] ?? severity) : severity
  }

  /// Returns the severity for a record of the kind that has the code.
  func severity(_ code: FindingCode, _ decision: Decision) -> Severity {
    severity(code, decision, hasToken: code == .recordClientDataLossy)
  }
}

extension AuditTotals {
  /// Counts a finding, and what accepts it; with a `step` of -1 it is counted no more.
  mutating func count(
    _ finding: Finding, _ acceptance: AcceptedFindings.Acceptance, step: Int64 = 1
  ) {
    func add(_ count: inout UInt64) { count &+= UInt64(bitPattern: step) }
    if let entry = acceptance.entry { return add(&accepted[entry].count) }
    if let entry = acceptance.brokenThrough { add(&accepted[entry].moreSevere) }
    let code = Int(finding.code.rawValue)
    add(&findingsBySeverity[Int(finding.severity.rawValue)])
    add(&findingsByCode[code])
    worstByCode[code] = max(worstByCode[code] ?? finding.severity, finding.severity)
  }
}

/// The totals of a run. While its findings are read, those of which a copy of the request is more severe are graded
/// again (`detection.R52`).
final class GradedTotals {
  private let policy: SeverityPolicy
  private let accepted: AcceptedFindings
  private let emitted: AuditTotals
  private(set) var totals: AuditTotals

  init(_ emitted: AuditTotals, _ policy: SeverityPolicy, _ accepted: AcceptedFindings) {
    (self.policy, self.accepted, self.emitted) = (policy, accepted, emitted)
    totals = emitted
  }

  /// Begins with the findings as they were emitted.
  func begin() { totals = emitted }

  func grade(_ finding: inout Finding, by copy: Decision) {
    let severity = policy.severity(finding.code, copy)
    guard severity > finding.severity else { return }
    totals.count(finding, accepted.acceptance(of: finding, hasOtherCodes: false), step: -1)
    finding.severity = severity
    finding.detail += copy.ofCopy
    let acceptance = accepted.acceptance(of: finding, hasOtherCodes: false)
    finding.isAccepted = acceptance.entry != nil
    totals.count(finding, acceptance)
  }
}
