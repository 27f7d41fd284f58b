internal import Synchronization

/// The cancellation that all threads of some work share, with its reason.
package final class Cancellation<Failure: Error>: Sendable {
  private let failure = Mutex<Failure?>(nil)
  private let isStopped = Atomic<Bool>(false)

  package init() {}

  /// Whether all are to stop as soon as possible: the work has failed or was cancelled.
  package var mustStop: Bool { isStopped.load(ordering: .relaxed) }

  /// Stops the work; of several reasons the first counts.
  package func stop(_ error: Failure) {
    failure.withLock { $0 = $0 ?? error }
    isStopped.store(true, ordering: .relaxed)
  }

  /// Throws the reason where the work is to stop.
  package func check() throws(Failure) {
    guard mustStop else { return }
    if let failure = failure.withLock({ $0 }) { throw failure }
  }
}
