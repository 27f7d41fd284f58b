internal import AppAttest
internal import Compression
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

  /// Takes bytes as they come from the encoder.
  private final class Sink {
    var bytes: [UInt8] = []
  }

  init(firstKey: Digest256, lastKey: Digest256) {
    self.firstKey = firstKey
    self.lastKey = lastKey
  }

  /// Packs `rows`, in which the values of `hashes` are, on a queue.
  func pack(_ rows: [UInt8], hashes: [UInt64], on queue: DispatchQueue) {
    queue.async { [self] in
      let packed = Result { try Self.pack(rows, hashes) }
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

  private static func pack(_ rows: [UInt8], _ hashes: [UInt64]) throws -> Packed {
    let sink = Sink()
    // The fastest level: hashes and identifiers are random, and no level makes them shorter.
    let encoder = try ZstdEncoder(level: 1) { piece in
      unsafe piece.withUnsafeBufferPointer { unsafe sink.bytes.append(contentsOf: $0) }
    }
    try encoder.write(rows.span)
    try encoder.endFrame()
    return Packed(frame: sink.bytes, filter: EventFilter(hashes: hashes))
  }
}
