internal import AppAttest
internal import AuditEngine
internal import Compression

/// A maker of frames of events. It is used by one thread at a time, again and again, because memory
/// that is new to a process costs as much as writing to it.
struct EventPacker: Sendable {
  /// The frames of a block of events, and the events among them that the page draws.
  struct Packed {
    var frames: [EventFrame] = []
    /// The events of the keys that the page draws.
    var drawn: [TimelineEvent] = []
  }

  /// The capacity for rows in bytes: those of a frame, and the row that fills it.
  private static let rowBytes = EventsCSV.frameBytes + (16 << 10)

  private let zstd: ZstdPacker
  private var rows = RowBuffer(capacity: EventPacker.rowBytes)
  private var table: VerdictRows
  private var hashes: [UInt64] = []
  /// The subject last put into the filter. Most keys have a single one.
  private var lastSubject = TextBytes(text: "")
  private var keys: (first: Digest256, last: Digest256)?
  /// The memory for the next frame.
  private var room: [UInt8] = []

  /// True after a row that had long texts.
  var hasGrown: Bool { rows.capacity > Self.rowBytes }

  init(sources: SourceNames) throws {
    table = VerdictRows(sources: sources)
    zstd = try ZstdPacker()
  }

  /// Returns the frame of the table's header, which no search reads.
  mutating func header() throws -> EventFrame {
    EventColumns.all.writeHeader(to: &rows)
    return try cut()
  }

  /// Returns the frames of `events`, which come in order of key and time, and those of the events
  /// whose keys the page draws.
  ///
  /// - Parameter room: Memory for the first frame, and usually the only one.
  mutating func pack(
    _ events: EventRows, drawing: PageHistory, room: consuming [UInt8]
  ) throws -> Packed {
    self.room = room
    var packed = Packed()
    // Events of one key follow each other.
    var drawn: (keyID: Digest256?, isWanted: Bool) = (nil, false)
    try events.each { event in
      add(event)
      if event.keyID != drawn.keyID { drawn = (event.keyID, drawing.wants(event.keyID)) }
      if drawn.isWanted { packed.drawn.append(TimelineEvent(plotted: event)) }
      if rows.count >= EventsCSV.frameBytes { packed.frames.append(try cut()) }
    }
    if rows.count > 0 { packed.frames.append(try cut()) }
    return packed
  }

  private mutating func add(_ event: VerdictRow) {
    let key = event.keyID ?? Digest256()
    keys = (keys?.first ?? key, key)
    guard !event.isDeviceNote else {
      table.write(device: event, to: &rows)
      hashes.append(EventFilter.hash(.device, RowBuffer.guarded(event.detail).utf8))
      return
    }
    table.write(event, to: &rows)
    if !event.clientDataHash.isEmpty {
      hashes.append(EventFilter.hash(.clientDataHash, event.clientDataHash))
    }
    // The texts as the table shows them: searches compare with those.
    let subject = TextBytes(text: event.subject)
    if !event.subject.isEmpty, subject != lastSubject {
      lastSubject = subject
      hashes.append(EventFilter.hash(.subject, RowBuffer.guarded(event.subject).utf8))
    }
    if !event.requestID.isEmpty {
      hashes.append(EventFilter.hash(.requestID, RowBuffer.guarded(event.requestID).utf8))
    }
  }

  /// Returns the frame of the collected rows, and removes them.
  private mutating func cut() throws -> EventFrame {
    defer {
      rows.removeAll()
      hashes.removeAll(keepingCapacity: true)
      lastSubject = TextBytes(text: "")
      keys = nil
    }
    var bytes: [UInt8] = []
    swap(&bytes, &room)
    try zstd.pack(rows.piece.span, into: &bytes)
    return EventFrame(
      bytes: bytes, filter: EventFilter(hashes: hashes),
      firstKey: keys?.first ?? Digest256(), lastKey: keys?.last ?? Digest256())
  }
}
