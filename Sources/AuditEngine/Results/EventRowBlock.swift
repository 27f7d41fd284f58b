/// Events in order, still as rows of their shuffle, to be read by another thread.
package struct EventRows: Sendable {
  package let count: Int
  /// The bytes of their long texts together, which are fetched as the events are read.
  package let longTextBytes: UInt64
  /// A closure that calls its argument with each of them.
  package let each: @Sendable ((VerdictRow) throws -> Void) throws -> Void
}

/// A block of rows of ``Shuffles/events``, each behind its length (4 bytes).
struct EventRowBlock {
  private static let limit = 1_024
  private static let usualBytes = 256 << 10
  /// Bytes of long texts, which stand in no row, of the events of a full block.
  private static let longTextLimit: UInt64 = 1 << 20

  private var bytes: [UInt8] = []
  private var count = 0
  private var longTextBytes: UInt64 = 0

  init() { bytes.reserveCapacity(Self.usualBytes) }

  var isEmpty: Bool { count == 0 }
  var isFull: Bool { count >= Self.limit || longTextBytes >= Self.longTextLimit }

  mutating func append(_ row: UnsafeRawBufferPointer) {
    count += 1
    unsafe longTextBytes += VerdictRow.longTextBytes(event: row)
    unsafe withUnsafeBytes(of: UInt32(row.count)) { unsafe bytes.append(contentsOf: $0) }
    unsafe bytes.append(contentsOf: row)
  }

  /// Returns the events of the rows; the block is not to be used any more.
  consuming func events(_ shuffles: Shuffles) -> EventRows {
    EventRows(count: count, longTextBytes: longTextBytes) { [bytes] body in
      try unsafe bytes.withUnsafeBytes { try unsafe Self.read($0, shuffles, body) }
    }
  }

  private static func read(
    _ bytes: UnsafeRawBufferPointer, _ shuffles: Shuffles, _ body: (VerdictRow) throws -> Void
  ) throws {
    // One for all, so that what they have in common stays where it is.
    var event = VerdictRow()
    var at = 0
    while at < bytes.count {
      let start = at + MemoryLayout<UInt32>.size
      at = start + Int(unsafe bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self))
      unsafe try event.read(event: UnsafeRawBufferPointer(rebasing: bytes[start..<at]), shuffles)
      try body(event)
    }
  }
}
