internal import Synchronization

/// What all threads of a run share: whether it goes on, and why not.
final class Cancellation: Sendable {
  private let failure = Mutex<AuditError?>(nil)
  private let isStopped = Atomic<Bool>(false)

  /// Whether to stop as soon as possible: the run has failed or was cancelled.
  var mustStop: Bool { isStopped.load(ordering: .relaxed) }

  /// Stops the run; of several reasons the first counts.
  func stop(_ error: AuditError) {
    failure.withLock { $0 = $0 ?? error }
    isStopped.store(true, ordering: .relaxed)
  }

  /// Throws the reason where the run is to stop.
  func check() throws(AuditError) {
    guard mustStop else { return }
    if let failure = failure.withLock({ $0 }) { throw failure }
  }
}
