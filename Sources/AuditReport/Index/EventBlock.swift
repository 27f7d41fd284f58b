internal import AuditEngine
internal import Dispatch
internal import Synchronization

/// A block of events for the index. It is formatted and compressed on another thread while the next
/// one is gathered.
final class EventBlock: Sendable {
  let longTextBytes: UInt64
  private let result = Mutex<Result<EventPacker.Packed, any Error>?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  /// Begins to pack `events` with a packer of `packers`, on a queue.
  init(_ events: EventRows, with packers: EventPackers, on queue: DispatchQueue) {
    longTextBytes = events.longTextBytes
    queue.async { [self] in
      let packed = Result { try packers.pack(events) }
      result.withLock { $0 = packed }
      isDone.signal()
    }
  }

  /// Waits for the packed events. Call it once.
  func wait() throws -> EventPacker.Packed {
    isDone.wait()
    guard let packed = result.withLock({ $0 }) else {
      throw ReportError(.abandoned, "a block of events was lost")
    }
    return try packed.get()
  }
}
