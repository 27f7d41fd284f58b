internal import AuditLog

/// The scope in which a clientDataHash counts as used again.
package enum ReplayScope: String, Sendable, CaseIterable {
  /// The scope in which one hash is used once, by whatever key.
  case global
  /// The scope in which one hash is used once by each key.
  case key
  /// The scope in which only the same assertion again is a replay (`detection.R43`).
  case exact
}

/// The meaning of same assertions or attestations whose records agree in every field.
package enum IdenticalRecords: String, Sendable, CaseIterable {
  /// A replay.
  case replay
  /// One request that was logged twice, as shippers do that deliver at least once.
  case duplicate
}

/// The settings of the detectors. Durations are milliseconds.
package struct DetectionPolicy: Sendable, Equatable {
  package var reorderTolerance: Int64 = 30_000
  /// The longest delay after which the same request counts as a retry, or 0 if none does.
  package var retryTolerance: Int64 = 0
  /// The time after a rejected request within which the same one may come as its retry.
  package var rejectedRetry: Int64 = 600_000
  package var replayScope: ReplayScope = .global
  package var identicalRecords = IdenticalRecords.replay
  /// The largest step of a counter that is not reported, or 0 to report no step.
  package var counterGap: UInt32 = 0
  package var challengesRequired = false
  /// The limit that is set, or nil: a day if challenges are required, or else none.
  package var challengeTTL: Int64?

  package init() {}

  /// The time for which a challenge may be used after its last issue, or nil for ever.
  package var challengeLimit: Int64? {
    challengeTTL ?? (challengesRequired ? Self.requiredTTL : nil)
  }

  /// Whether it matters which challenges were issued.
  var looksAtChallenges: Bool { challengesRequired || challengeLimit != nil }

  /// The limit where challenges are required and nothing else is said: a day.
  private static let requiredTTL: Int64 = 86_400_000
}

/// The findings for which a simulated server refuses a request.
package enum RefusalPolicy: Sendable, Equatable {
  /// The codes that refuse a request.
  case codes([FindingCode])
  /// The severity from which a finding refuses a request that is not decided yet.
  case severity(Severity)

  /// The codes that can refuse a request: those about one record, not about a decision.
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
