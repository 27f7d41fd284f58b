internal import AppAttest
internal import AuditEngine
internal import Dispatch

/// Writes `events.csv.zst` and `events.index`; used by one thread.
struct EventsWriter: ~Copyable {
  /// Blocks that are packed at once: as many as keep two cores busy, whatever the machine has, since
  /// each takes a few megabytes.
  private static let depth = 4
  /// Bytes of filters held before they are written.
  private static let filterBytes = 256 << 10

  /// Bytes of rows for which there is room: those of a block, and the row that fills it.
  private static let rowBytes = EventsCSV.blockBytes + (16 << 10)

  private var file: OutputFile
  private var index: OutputFile
  private let packers = EventPackers(rowBytes: EventsWriter.rowBytes)
  private var room: EventPackers.Room
  /// The subject last put into the filter: a key's events have one, as a rule.
  private var lastSubject = ""
  private var keys: (first: Digest256, last: Digest256)?
  private var waiting: [EventBlock] = []
  private var blocks: [EventsIndex.Block] = []
  private var fileOffset: UInt64 = 0
  private var indexOffset: UInt64
  private let sources: SourceNames
  private let queue = DispatchQueue(
    label: "attest-audit.events", qos: .userInitiated, attributes: .concurrent)

  private init(
    _ file: consuming OutputFile, _ index: consuming OutputFile, _ sources: SourceNames
  ) {
    self.file = file
    self.index = index
    self.sources = sources
    room = packers.room()
    indexOffset = UInt64(EventsIndex.magic.count)
  }

  /// Creates both files in `folder`.
  static func open(in folder: PartialFolder, sources: SourceNames) throws -> EventsWriter {
    var writer = EventsWriter(
      try folder.create(EventsCSV.name), try folder.create(EventsIndex.name), sources)
    for byte in EventsIndex.magic { writer.index.rows.append(byte) }
    VerdictsCSV.writeHeader(to: &writer.room.rows)
    // The header is a frame of its own, which no search reads.
    try writer.cut()
    try writer.settle()
    writer.blocks = []
    return writer
  }

  /// Takes an event; they come in order of key and time.
  mutating func add(_ event: VerdictRow) throws {
    let key = event.keyID ?? Digest256()
    keys = (keys?.first ?? key, key)
    if event.isDeviceNote {
      VerdictsCSV.write(device: event, sources: sources, to: &room.rows)
      room.hashes.append(EventFilter.hash(.device, RowBuffer.guarded(event.detail).utf8))
    } else {
      write(event)
    }
    if room.rows.count >= EventsCSV.blockBytes { try cut() }
  }

  private mutating func write(_ event: VerdictRow) {
    VerdictsCSV.write(event, sources: sources, to: &room.rows)
    if !event.clientDataHash.isEmpty {
      room.hashes.append(EventFilter.hash(.clientDataHash, event.clientDataHash))
    }
    // The texts as the table shows them: so they are searched for.
    if !event.subject.isEmpty, event.subject != lastSubject {
      lastSubject = event.subject
      room.hashes.append(EventFilter.hash(.subject, RowBuffer.guarded(event.subject).utf8))
    }
    if !event.requestID.isEmpty {
      room.hashes.append(EventFilter.hash(.requestID, RowBuffer.guarded(event.requestID).utf8))
    }
  }

  /// Ends both files.
  consuming func finish() throws -> [ManifestEntry] {
    if room.rows.count > 0 { try cut() }
    while !waiting.isEmpty { try settle() }
    let start = indexOffset
    for block in blocks {
      block.write(to: &index.rows)
      try index.flushIfFull()
    }
    index.rows.append(littleEndian: start)
    index.rows.append(littleEndian: UInt64(blocks.count))
    return [try file.finish(), try index.finish()]
  }

  /// Hands the rows over to be packed.
  private mutating func cut() throws {
    let block = EventBlock(
      firstKey: keys?.first ?? Digest256(), lastKey: keys?.last ?? Digest256())
    var full = packers.room()
    swap(&full, &room)
    block.pack(full, with: packers, on: queue)
    waiting.append(block)
    lastSubject = ""
    keys = nil
    if waiting.count > Self.depth { try settle() }
  }

  /// Writes the block that waits longest.
  private mutating func settle() throws {
    let block = waiting.removeFirst()
    let packed = try block.wait()
    try file.flush()
    try file.write(packed.frame.span)
    blocks.append(
      EventsIndex.Block(
        offset: fileOffset, size: UInt64(packed.frame.count), filterOffset: indexOffset,
        filterWords: UInt64(packed.filter.words.count), firstKey: block.firstKey,
        lastKey: block.lastKey))
    fileOffset += UInt64(packed.frame.count)
    for word in packed.filter.words {
      index.rows.append(littleEndian: word)
      if index.rows.count >= Self.filterBytes { try index.flush() }
    }
    indexOffset += UInt64(packed.filter.words.count) * 8
  }
}
