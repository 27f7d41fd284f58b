internal import AuditLog

/// What a record counts as, in the count of lines (`records.R51`).
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

/// The number of lines of each kind.
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
  /// The records beyond the first one of each line: the line counts once, as its first record does
  /// (`records.R86`).
  package var items: UInt64 = 0

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

  static func += (sum: inout RecordCounts, other: RecordCounts) {
    sum.lines += other.lines
    sum.blank += other.blank
    sum.attestations += other.attestations
    sum.assertions += other.assertions
    sum.challenges += other.challenges
    sum.deviceCheckTokens += other.deviceCheckTokens
    sum.skipped += other.skipped
    sum.notAudited += other.notAudited
    sum.unreadable += other.unreadable
    sum.known += other.known
    sum.rejectRows += other.rejectRows
    sum.ambiguousTimes += other.ambiguousTimes
    sum.items += other.items
  }
}
