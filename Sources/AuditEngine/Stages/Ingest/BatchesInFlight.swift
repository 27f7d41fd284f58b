internal import AuditLog
internal import Dispatch
internal import Synchronization

/// The bound on the batches of lines that wait for workers or are with them: by their number, and by their bytes
/// where a line makes a batch longer than others are.
final class BatchesInFlight: Sendable {
  private let most: Int
  private let batchBytes: Int
  private let places: DispatchSemaphore
  /// Held by whoever takes several places, so that no two have some of them each and wait for more.
  private let entry = Mutex(())

  /// Makes a bound of `most` batches of `batchBytes` each.
  init(most: Int, batchBytes: Int) {
    self.most = most
    self.batchBytes = batchBytes
    places = DispatchSemaphore(value: most)
  }

  /// Waits until there is room for a batch. Returns the number of places that it has: one for each
  /// `batchBytes`, but no more than there are.
  func enter(_ batch: LineBatch) -> Int {
    let wanted = min((batch.capacity + batchBytes - 1) / batchBytes, most)
    entry.withLock { _ in
      for _ in 0..<wanted { places.wait() }
    }
    return wanted
  }

  /// Gives the places of a batch back.
  func leave(_ count: Int) {
    for _ in 0..<count { places.signal() }
  }
}
