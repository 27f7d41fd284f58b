package import AuditEngine

/// The facts of `summary.json` about the run itself: the only figures that differ from run to run.
package struct RunFacts: Sendable, Equatable {
  package var id: String
  /// The pipeline file as given, or nil if there was none.
  package var pipeline: String?
  /// The start and the end, in milliseconds since 1970.
  package var startedAt: Int64
  package var finishedAt: Int64
  /// The duration by a monotonic clock, in milliseconds.
  package var elapsed: Int64
  package var threads: Int
  package var peakMemoryBytes: UInt64
  package var spilledBytes: UInt64
  package var verifier: SignatureVerifier
  package var signatures: VerificationTally

  package init(
    id: String, pipeline: String?, startedAt: Int64, finishedAt: Int64, elapsed: Int64,
    threads: Int, peakMemoryBytes: UInt64, spilledBytes: UInt64,
    verifier: SignatureVerifier, signatures: VerificationTally
  ) {
    (self.id, self.pipeline) = (id, pipeline)
    (self.startedAt, self.finishedAt, self.elapsed) = (startedAt, finishedAt, elapsed)
    (self.threads, self.peakMemoryBytes) = (threads, peakMemoryBytes)
    (self.spilledBytes, self.verifier) = (spilledBytes, verifier)
    self.signatures = signatures
  }
}
