internal import Compression
internal import Synchronization

/// What blocks of events are filled and packed in, used again for the next ones: memory that is new to
/// a process costs as much as what is written to it.
final class EventPackers: Sendable {
  /// The rows of a block, and the hashes of the values in them.
  struct Room {
    var rows: RowBuffer
    var hashes: [UInt64] = []
  }

  /// Twice as fast as level 1, for an index that is 1.8 times as long: most of a row is a hash and an
  /// identifier, of which no level finds anything, and which this one leaves in digits.
  private static let level = -6

  private let rowBytes: Int
  private let free = Mutex<(rooms: [Room], packers: [ZstdPacker])>(([], []))

  /// Rooms have `rowBytes` for rows.
  init(rowBytes: Int) {
    self.rowBytes = rowBytes
  }

  /// Returns an empty room.
  func room() -> Room {
    free.withLock { $0.rooms.popLast() } ?? Room(rows: RowBuffer(capacity: rowBytes))
  }

  /// Packs what a room holds, and keeps it for others.
  func pack(_ room: consuming Room) throws -> EventBlock.Packed {
    let packer = try free.withLock { $0.packers.popLast() } ?? ZstdPacker(level: Self.level)
    let rows = room.rows.piece
    let packed = EventBlock.Packed(
      frame: try packer.pack(rows.span), filter: EventFilter(hashes: room.hashes))
    room.rows.removeAll()
    room.hashes.removeAll(keepingCapacity: true)
    free.withLock { [room, packer] free in
      free.rooms.append(room)
      free.packers.append(packer)
    }
    return packed
  }
}
