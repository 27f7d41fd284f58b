internal import Dispatch

/// Batches that are used again, so that memory stays where it is.
package final class BatchPool: @unchecked Sendable {
  // The free batches are used on the queue only. A queue and not a mutex, which the thread sanitizer
  // does not see: what a worker did to a batch comes before what the next reader does to it.
  private let queue = DispatchQueue(label: "batches")
  private var free: [LineBatch] = []
  private let batchBytes: Int

  package init(batchBytes: Int) {
    self.batchBytes = batchBytes
  }

  func take() -> LineBatch {
    queue.sync { free.popLast() } ?? LineBatch(capacity: batchBytes)
  }

  /// Gives a batch back, which nobody may use any more.
  package func giveBack(_ batch: LineBatch) {
    batch.reset(capacity: batchBytes)
    queue.sync { free.append(batch) }
  }
}
