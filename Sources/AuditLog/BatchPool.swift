internal import Synchronization

/// Batches that are used again, so that memory stays where it is.
package final class BatchPool: Sendable {
  private let free = Mutex<[LineBatch]>([])
  private let batchBytes: Int

  /// `batchBytes` is the room of each batch.
  package init(batchBytes: Int) {
    self.batchBytes = batchBytes
  }

  /// An empty batch.
  func take() -> LineBatch {
    free.withLock { $0.popLast() } ?? LineBatch(capacity: batchBytes)
  }

  /// Gives a batch back, which nobody may use any more.
  package func giveBack(_ batch: LineBatch) {
    batch.reset(capacity: batchBytes)
    free.withLock { $0.append(batch) }
  }
}
