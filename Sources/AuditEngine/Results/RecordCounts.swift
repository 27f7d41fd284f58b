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

  package init() {}

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
  }
}
