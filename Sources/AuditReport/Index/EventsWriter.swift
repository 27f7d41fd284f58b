internal import AppAttest
internal import AuditEngine
internal import Compression
internal import Dispatch
internal import Synchronization

/// A writer of `events.csv.zst` and `events.index` for one thread. Others format and compress.
struct EventsWriter: ~Copyable {
  /// The number of blocks that are packed at once. Each takes some megabytes.
  private static let depth = 4
  /// The bytes of long texts of the blocks that are packed at once, unless a single one has more.
  private static let longTextBytes: UInt64 = 4 << 20

  private var file: OutputFile
  private var index: OutputFile
  private let packers: EventPackers
  private var history: PageHistory
  private var waiting: [EventBlock] = []
  private var waitingBytes: UInt64 = 0
  private var offset: UInt64

  /// Creates both files in `folder`. `history` receives the events that the page draws.
  init(in folder: ReportDirectory, sources: SourceNames, history: PageHistory) throws {
    var packer = try EventPacker(sources: sources)
    let header = try packer.header()
    var file = try folder.create(EventsCSV.name)
    var index = try folder.create(EventsIndex.name)
    try file.write(header.span)
    EventsIndex.columns.writeHeader(to: &index.rows)
    self.file = file
    self.index = index
    packers = EventPackers(sources: sources, drawing: history)
    self.history = history
    offset = UInt64(header.count)
  }

  /// Takes a block of events. Blocks come in order of key and time.
  mutating func add(_ events: EventRows) throws {
    while !waiting.isEmpty, waitingBytes + events.longTextBytes > Self.longTextBytes {
      try settle()
    }
    waitingBytes += events.longTextBytes
    waiting.append(EventBlock(events, packers))
    if waiting.count > Self.depth { try settle() }
  }

  consuming func finish() throws -> (entries: [ManifestEntry], history: PageHistory) {
    while !waiting.isEmpty { try settle() }
    let drawn = history
    return ([try file.finish(), try index.finish()], drawn)
  }

  private mutating func settle() throws {
    let block = waiting.removeFirst()
    let packed = try block.wait()
    waitingBytes -= block.longTextBytes
    for event in packed.drawn { history.add(event) }
    for (bytes, place) in packed.frames {
      try file.write(bytes.span)
      var place = place
      (place.offset, place.size) = (offset, UInt64(bytes.count))
      offset += place.size
      EventsIndex.columns.write(csv: place, to: &index.rows)
      try index.flushIfFull()
    }
  }
}

/// A block of events that is packed on another thread while the next one is gathered.
private final class EventBlock: Sendable {
  private static let queue = DispatchQueue(
    label: "attest-audit.events", qos: .userInitiated, attributes: .concurrent)

  let longTextBytes: UInt64
  private let result = Mutex<Result<EventPacker.Packed, any Error>?>(nil)
  private let isDone = DispatchSemaphore(value: 0)

  init(_ events: EventRows, _ packers: EventPackers) {
    longTextBytes = events.longTextBytes
    Self.queue.async { [self] in
      let packed = Result { try packers.pack(events) }
      result.withLock { $0 = packed }
      isDone.signal()
    }
  }

  /// Waits for the packed events. Call it once.
  func wait() throws -> EventPacker.Packed {
    isDone.wait()
    guard let packed = result.withLock({ $0 }) else {
      throw AuditError(.inconsistent, "a block of events was lost")
    }
    return try packed.get()
  }
}

/// The packers of one index, as many as work at once.
private final class EventPackers: Sendable {
  private let sources: SourceNames
  private let drawing: PageHistory
  private let free = Mutex<[EventPacker]>([])

  init(sources: SourceNames, drawing: PageHistory) {
    self.sources = sources
    self.drawing = drawing
  }

  func pack(_ events: EventRows) throws -> EventPacker.Packed {
    // Nothing else may hold the packer: its first write would copy its buffers.
    var packer = try free.withLock { $0.popLast() } ?? EventPacker(sources: sources)
    let packed = try packer.pack(events, drawing: drawing)
    // One that grew for long texts is not kept.
    if !packer.hasGrown { free.withLock { [packer] in $0.append(packer) } }
    return packed
  }
}

/// A maker of frames of events. It is used again, since memory that is new costs time.
private struct EventPacker: Sendable {
  struct Packed {
    var frames: [(bytes: [UInt8], place: EventsIndex.Frame)] = []
    var drawn: [TimelineEvent] = []
  }

  /// The capacity for rows in bytes: those of a frame, and the row that fills it.
  private static let rowBytes = EventsCSV.frameBytes + (16 << 10)

  private let zstd: ZstdPacker
  private var rows = RowBuffer(capacity: EventPacker.rowBytes)
  private let sources: SourceNames

  /// Whether a row had long texts.
  var hasGrown: Bool { rows.capacity > Self.rowBytes }

  init(sources: SourceNames) throws {
    self.sources = sources
    zstd = try ZstdPacker()
  }

  mutating func header() throws -> [UInt8] {
    EventColumns.all.writeHeader(to: &rows)
    return try cut()
  }

  /// Returns the frames of `events`, which come in order of key and time.
  mutating func pack(_ events: EventRows, drawing: PageHistory) throws -> Packed {
    var packed = Packed()
    var place = EventsIndex.Frame()
    // Events of one key follow each other.
    var drawn: (keyID: Digest256?, isWanted: Bool) = (nil, false)
    try events.each { event in
      if rows.count == 0 { place.firstKey = event.keyID }
      place.lastKey = event.keyID
      if event.isDeviceNote {
        EventColumns.all.write(csv: TimelineEvent(event, sources: sources), to: &rows)
      } else {
        event.write(sources, to: &rows)
      }
      if event.keyID != drawn.keyID { drawn = (event.keyID, drawing.wants(event.keyID)) }
      if drawn.isWanted {
        packed.drawn.append(TimelineEvent(event, sources: sources).plotted)
      }
      if rows.count >= EventsCSV.frameBytes { packed.frames.append((try cut(), place)) }
    }
    if rows.count > 0 { packed.frames.append((try cut(), place)) }
    return packed
  }

  private mutating func cut() throws -> [UInt8] {
    var bytes: [UInt8] = []
    try zstd.pack(rows.piece.span, into: &bytes)
    rows.removeAll()
    return bytes
  }
}
