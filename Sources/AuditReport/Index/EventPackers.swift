internal import AuditEngine
internal import Synchronization

/// The packers of one index, as many as work at once.
final class EventPackers: Sendable {
  /// The largest number of frames whose memory is kept for use again.
  private static let roomLimit = 8
  /// The largest capacity of such a memory. A frame has more where its last row has long texts.
  private static let roomBytes = 2 * EventsCSV.frameBytes

  private let sources: SourceNames
  private let drawing: PageHistory
  private let free = Mutex<(packers: [EventPacker], rooms: [[UInt8]])>(([], []))

  /// Makes the packers. `drawing` holds the keys that the page draws.
  init(sources: SourceNames, drawing: PageHistory) {
    self.sources = sources
    self.drawing = drawing
  }

  /// Returns the frame of the table's header.
  func header() throws -> EventFrame {
    var packer = try EventPacker(sources: sources)
    return try packer.header()
  }

  /// Returns the frames of a block of events.
  func pack(_ events: EventRows) throws -> EventPacker.Packed {
    // Nothing else may hold the packer: its first write would copy its buffers.
    var packer = try takePacker()
    let room = free.withLock { $0.rooms.popLast() ?? [] }
    let packed = try packer.pack(events, drawing: drawing, room: room)
    // One that grew for long texts is not kept.
    if !packer.hasGrown { free.withLock { [packer] in $0.packers.append(packer) } }
    return packed
  }

  private func takePacker() throws -> EventPacker {
    if let packer = free.withLock({ $0.packers.popLast() }) { return packer }
    return try EventPacker(sources: sources)
  }

  /// Takes back the memory of a frame, once it is written.
  func takeBack(_ frame: consuming EventFrame) {
    free.withLock { [bytes = frame.bytes] in
      if $0.rooms.count < Self.roomLimit, bytes.capacity <= Self.roomBytes {
        $0.rooms.append(bytes)
      }
    }
  }
}
