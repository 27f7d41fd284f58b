internal import Synchronization

/// A flag that one thread raises and every writer looks at before it writes.
final class ReportCancellation: Sendable {
  private let flag = Atomic<Bool>(false)

  var isCancelled: Bool { flag.load(ordering: .acquiring) }

  func cancel() { flag.store(true, ordering: .releasing) }
}
