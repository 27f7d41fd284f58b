internal import AuditLog

/// The severity of each code, by the server's decision (`detection.md`) and the pipeline file.
struct SeverityPolicy: Sendable {
  /// The severities, indexed by decision, then code.
  private let table: [[Severity]]
  /// The severities of codes of records with a token that could not be audited, unless rejected.
  private let withToken: [FindingCode: Severity]

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

  /// Returns the codes that are more severe than `info` for a record with that decision.
  func codesAboveInfo(_ decision: Decision) -> CodeSet {
    CodeSet(FindingCode.allCases.filter { severity($0, decision) > .info })
  }

  /// The codes that a rejected record may have and still count as valid.
  var harmlessInRejected: CodeSet {
    var harmless = CodeSet([.challengeWeak])
    for code in FindingCode.allCases where severity(code, .rejected) == .info {
      harmless.insert(code)
    }
    return harmless
  }
}
