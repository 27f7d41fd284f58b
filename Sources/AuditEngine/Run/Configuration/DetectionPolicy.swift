/// The scope in which a clientDataHash counts as used again.
package enum ReplayScope: String, Sendable, CaseIterable {
  /// The scope in which one hash is used once, by whatever key.
  case global
  /// The scope in which one hash is used once by each key.
  case key
  /// The scope in which only the same assertion again is a replay: the client data of assertions
  /// contains no challenge. Attestations are judged as by `global`.
  case exact
}

/// The meaning of two same assertions or attestations whose records agree in every mapped field, the time
/// included, and have no request identifier.
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
  /// The time after a request that the server rejected within which the same one may come again as
  /// its retry.
  package var rejectedRetry: Int64 = 600_000
  package var replayScope: ReplayScope = .global
  package var identicalRecords = IdenticalRecords.replay
  /// The largest step of a counter that is not reported, or 0 to report no step.
  package var counterGap: UInt32 = 0
  package var challengesRequired = false
  /// The limit that is set. If it is nil, the limit is a day if challenges are required, and else
  /// `challenge.expired` is off.
  package var challengeTTL: Int64?

  package init() {}

  /// The time for which a challenge may be used after it was last issued, or nil if it never
  /// expires.
  package var challengeLimit: Int64? {
    challengeTTL ?? (challengesRequired ? Self.requiredTTL : nil)
  }

  /// Whether it matters which challenges were issued.
  var looksAtChallenges: Bool { challengesRequired || challengeLimit != nil }

  /// The limit where challenges are required and nothing else is said: a day.
  private static let requiredTTL: Int64 = 86_400_000
}
