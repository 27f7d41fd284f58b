package import AuditLog

/// The class of a record in the count of lines (`records.R51`).
enum ItemKind {
  case skipped, unreadable, deviceCheckToken, attestation, assertion, challenge

  init(_ kind: RecordKind) {
    switch kind {
    case .attestation: self = .attestation
    case .assertion: self = .assertion
    case .challenge: self = .challenge
    }
  }
}

/// The number of lines of each kind, and of records with certain fields.
package struct RecordCounts: Sendable, Equatable {
  package var lines: UInt64 = 0
  package var blank: UInt64 = 0
  package var attestations: UInt64 = 0
  package var assertions: UInt64 = 0
  package var challenges: UInt64 = 0
  package var deviceCheckTokens: UInt64 = 0
  package var skipped: UInt64 = 0
  /// The lines with App Attest tokens that no rule reads.
  package var notAudited: UInt64 = 0
  package var unreadable: UInt64 = 0
  /// The lines that were read before.
  package var known: UInt64 = 0
  /// The unreadable lines of which `rejects.jsonl` has a row.
  package var rejectRows: UInt64 = 0
  /// The records whose local time means one of two instants.
  package var ambiguousTimes: UInt64 = 0
  /// The records beyond the first one of each line (`records.R86`).
  package var items: UInt64 = 0
  /// The records that were read, and of them those with a decision, and those of them that the server rejected.
  package var recordsRead: UInt64 = 0
  package var decided: UInt64 = 0
  package var rejected: UInt64 = 0
  /// The records that issue a challenge, in whatever place of their line.
  package var issued: UInt64 = 0
  package var requestIDs: UInt64 = 0
  package var subjects: UInt64 = 0
  package var appIDs: UInt64 = 0
  /// The assertions that have a clientDataHash and not what it is the hash of.
  package var hashesOnly: UInt64 = 0
  /// The records whose time is a whole second.
  package var wholeSeconds: UInt64 = 0

  package init() {}

  /// Counts a line by its first record.
  mutating func add(_ kind: ItemKind) {
    switch kind {
    case .skipped: skipped += 1
    case .unreadable: unreadable += 1
    case .deviceCheckToken: deviceCheckTokens += 1
    case .attestation: attestations += 1
    case .assertion: assertions += 1
    case .challenge: challenges += 1
    }
  }

  static var all: [WritableKeyPath<RecordCounts, UInt64>] {
    [
      \.lines, \.blank, \.attestations, \.assertions, \.challenges, \.deviceCheckTokens, \.skipped,
      \.notAudited, \.unreadable, \.known, \.rejectRows, \.ambiguousTimes, \.items, \.recordsRead,
      \.decided, \.rejected, \.issued, \.requestIDs, \.subjects, \.appIDs, \.hashesOnly,
      \.wholeSeconds,
    ]
  }

  @inline(__always)
  package mutating func add(_ record: Record) {
    recordsRead += 1
    if record.kind == .assertion, record.clientData == nil || record.clientDataIsHash {
      hashesOnly += 1
    }
    if record.kind == .challenge { issued += 1 }
    if record.decision != .unknown { decided += 1 }
    if record.decision == .rejected { rejected += 1 }
    if record[.requestID] != nil { requestIDs += 1 }
    if record[.subject] != nil { subjects += 1 }
    if record.appID != nil { appIDs += 1 }
    if record.time.isMultiple(of: 1000) { wholeSeconds += 1 }
  }

  static func += (sum: inout RecordCounts, other: RecordCounts) {
    for count in all { sum[keyPath: count] += other[keyPath: count] }
  }
}

/// The size of a state, after the commit if the run advances it.
package struct StateFigures: Sendable, Equatable {
  package var runs: UInt64
  package var keys: UInt64
  /// The number of records of the replay window.
  package var rememberedHashes: UInt64

  package init(runs: UInt64 = 0, keys: UInt64 = 0, rememberedHashes: UInt64 = 0) {
    self.runs = runs
    self.keys = keys
    self.rememberedHashes = rememberedHashes
  }
}
