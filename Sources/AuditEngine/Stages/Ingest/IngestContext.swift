internal import AppAttest
internal import AuditLog
internal import Basics
internal import RowShuffle

/// The context that the workers share who decode one run's lines.
struct IngestContext: Sendable {
  let verifier: AttestationVerifier
  let detection: DetectionPolicy
  let shuffles: Shuffles
  /// The shuffle by device, or nil if devices are not joined.
  let devices: RowSorter?
  /// The parts for judging attestations in batches, or nil if OpenSSL judges each by itself.
  var batches: AttestationAudit.Shared?
  let schema: CompiledSchema
  /// The longest line, in bytes.
  let lineLimit: Int
  /// The most rejects of an input that are reported.
  var rejectLimit = 10_000
  /// The receiver of the kinds of lines, or nil if nothing is remembered of them.
  var accounted: AccountedLines?
  let run: Cancellation<AuditError>
  let progress: AuditProgress

  var clock: StageClock { progress.clock }
}
