internal import AppAttest
internal import AuditLog
internal import Basics
internal import RowShuffle

/// What the workers that decode one run's lines share.
struct IngestContext: Sendable {
  let verifier: AttestationVerifier
  let detection: DetectionPolicy
  let shuffles: Shuffles
  /// The shuffle by device; nil where devices are not joined.
  let devices: RowSorter?
  /// What attestations are judged in batches with; nil where OpenSSL judges each by itself.
  var batches: AttestationAudit.Shared?
  let schema: CompiledSchema
  /// The longest line, in bytes.
  let lineLimit: Int
  let run: Cancellation<AuditError>
  let progress: AuditProgress

  var clock: StageClock { progress.clock }
}
