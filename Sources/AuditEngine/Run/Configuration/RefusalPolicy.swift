internal import AuditLog

/// The findings for which a simulated server refuses a request.
package enum RefusalPolicy: Sendable, Equatable {
  /// The codes that refuse a request.
  case codes([FindingCode])
  /// The severity from which a finding refuses a request. It is that of a request on which the server
  /// has not decided yet.
  case severity(Severity)

  /// The codes that can refuse a request: those that are about one record, and not about the server's
  /// own decision.
  package static let possible = FindingCode.allCases.filter {
    !["stream", "decision"].contains($0.entry.family) && $0 != .recordNotAudited
      && $0 != .recordMalformedJSON
  }

  /// Returns the codes that refuse a request, with the severities that a pipeline file sets.
  package func codes(severities: [FindingCode: Severity]) -> [FindingCode] {
    switch self {
    case .codes(let codes): return codes.sorted { $0.rawValue < $1.rawValue }
    case .severity(let least):
      let policy = SeverityPolicy(overrides: severities)
      return Self.possible.filter { policy.severity($0, .unknown) >= least }
    }
  }
}
