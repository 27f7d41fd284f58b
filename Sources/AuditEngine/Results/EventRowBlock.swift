internal import Synchronization

/// Events in order, still as rows of their shuffle, to be read by another thread.
package struct EventRows: Sendable {
  package let count: Int
  /// The bytes of their long texts together, which are fetched as the events are read.
  package let longTextBytes: UInt64
  /// A closure that calls its argument with each of them.
  let read: @Sendable ((VerdictRow) throws -> Void) throws -> Void

  /// Calls `body` with each of them.
  package func each(_ body: (VerdictRow) throws -> Void) throws { try read(body) }
}

/// A block of rows of ``Shuffles/events``, each behind its length (4 bytes).
struct EventRowBlock {
  /// Events of a full block, some quarter of a megabyte.
  private static let limit = 1_024
  /// Bytes of long texts, which stand in no row, of the events of a full block.
  private static let longTextLimit: UInt64 = 1 << 20

  private let rooms: EventRowRooms
  private var bytes: [UInt8]
  private var count = 0
  private var longTextBytes: UInt64 = 0

  init(_ rooms: EventRowRooms) {
    self.rooms = rooms
    bytes = rooms.take()
  }

  var isEmpty: Bool { count == 0 }
  var isFull: Bool { count >= Self.limit || longTextBytes >= Self.longTextLimit }

  /// Adds a copy of a row.
  mutating func append(_ row: UnsafeRawBufferPointer) {
    count += 1
    unsafe longTextBytes += VerdictRow.longTextBytes(event: row)
    unsafe withUnsafeBytes(of: UInt32(row.count)) { unsafe bytes.append(contentsOf: $0) }
    unsafe bytes.append(contentsOf: row)
  }

  /// Returns the events of the rows; the block is not to be used any more.
  consuming func events(_ shuffles: Shuffles) -> EventRows {
    let rows = EventRowRooms.Loan(bytes, rooms)
    return EventRows(count: count, longTextBytes: longTextBytes) { body in
      try unsafe rows.bytes.withUnsafeBytes { try unsafe Self.read($0, shuffles, body) }
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

/// The memory of blocks, which later blocks use again: new memory costs time.
final class EventRowRooms: Sendable {
  private let free = Mutex<[[UInt8]]>([])

  /// Returns an empty array, with room where there is some left.
  func take() -> [UInt8] {
    var bytes = free.withLock { $0.popLast() } ?? []
    bytes.removeAll(keepingCapacity: true)
    return bytes
  }

  /// The bytes of a block. Their memory goes back to the rooms with the last reader.
  final class Loan: Sendable {
    let bytes: [UInt8]
    private let rooms: EventRowRooms

    init(_ bytes: [UInt8], _ rooms: EventRowRooms) {
      self.bytes = bytes
      self.rooms = rooms
    }

    deinit { rooms.free.withLock { $0.append(bytes) } }
  }
}
