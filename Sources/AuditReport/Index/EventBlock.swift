internal import AppAttest
internal import Dispatch
internal import Synchronization

/// A block of events on its way to the index: compressed on another thread while the next one grows.
final class EventBlock: Sendable {
  /// The use of the rows.
  struct Packed {
    var frame: [UInt8]
    var filter: EventFilter
  }

  let firstKey: Digest256
  let lastKey: Digest256
  private let result = Mutex<Result<Packed, any Error>?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  init(firstKey: Digest256, lastKey: Digest256) {
    self.firstKey = firstKey
    self.lastKey = lastKey
  }

  /// Packs the rows that `room` holds, and the hashes of the values in them, with a packer of
  /// `packers`, on a queue; `room` goes back there, empty.
  func pack(_ room: EventPackers.Room, with packers: EventPackers, on queue: DispatchQueue) {
    queue.async { [self] in
      let packed = Result { try packers.pack(room) }
      result.withLock { $0 = packed }
      isDone.signal()
    }
  }

  /// Waits for the packed rows; to be called once.
  func wait() throws -> Packed {
    isDone.wait()
    guard let packed = result.withLock({ $0 }) else {
      throw ReportError(.abandoned, "a block of events was lost")
    }
    return try packed.get()
  }
}
