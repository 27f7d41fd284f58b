internal import AuditEngine
internal import Dispatch

/// A writer of `events.csv.zst` and `events.index`. It is used by one thread.
struct EventsWriter: ~Copyable {
  /// The number of blocks that are packed at once: enough to keep a few cores busy, whatever the
  /// machine has, since each takes some megabytes.
  private static let depth = 4
  /// The bytes of long texts of the blocks that are packed at once, unless a single one has more.
  private static let longTextBytes: UInt64 = 4 << 20
  /// The number of bytes of filters held before they are written.
  private static let filterBytes = 256 << 10

  private var file: OutputFile
  private var index: OutputFile
  private let packers: EventPackers
  private var history: PageHistory
  private var waiting: [EventBlock] = []
  /// The bytes of long texts of those that wait.
  private var waitingBytes: UInt64 = 0
  private var blocks: [EventsIndex.Block] = []
  private var fileOffset: UInt64 = 0
  private var indexOffset = UInt64(EventsIndex.magic.count)
  private let queue = DispatchQueue(
    label: "attest-audit.events", qos: .userInitiated, attributes: .concurrent)

  private init(
    _ file: consuming OutputFile, _ index: consuming OutputFile, _ packers: EventPackers,
    _ history: PageHistory
  ) {
    self.file = file
    self.index = index
    self.packers = packers
    self.history = history
  }

  /// Creates both files in `folder`. `history` receives the events that the page draws.
  static func open(
    in folder: PartialFolder, sources: SourceNames, history: PageHistory
  ) throws -> EventsWriter {
    var writer = EventsWriter(
      try folder.create(EventsCSV.name), try folder.create(EventsIndex.name),
      EventPackers(sources: sources, drawing: history), history)
    for byte in EventsIndex.magic { writer.index.rows.append(byte) }
    let header = try writer.packers.header()
    try writer.file.write(header.bytes.span)
    writer.fileOffset = UInt64(header.bytes.count)
    return writer
  }

  /// Takes a block of events. Blocks come in order of key and time.
  mutating func add(_ events: EventRows) throws {
    while !waiting.isEmpty, waitingBytes + events.longTextBytes > Self.longTextBytes {
      try settle()
    }
    waitingBytes += events.longTextBytes
    waiting.append(EventBlock(events, with: packers, on: queue))
    if waiting.count > Self.depth { try settle() }
  }

  /// Ends both files. Returns their manifest entries and the events that the page draws.
  consuming func finish() throws -> (entries: [ManifestEntry], history: PageHistory) {
    while !waiting.isEmpty { try settle() }
    let start = indexOffset
    for block in blocks {
      block.write(to: &index.rows)
      try index.flushIfFull()
    }
    index.rows.append(littleEndian: start)
    index.rows.append(littleEndian: UInt64(blocks.count))
    let drawn = history
    return ([try file.finish(), try index.finish()], drawn)
  }

  /// Writes the block that has waited longest.
  private mutating func settle() throws {
    let block = waiting.removeFirst()
    let packed = try block.wait()
    waitingBytes -= block.longTextBytes
    for event in packed.drawn { history.add(event) }
    for frame in packed.frames {
      try write(frame)
      packers.takeBack(frame)
    }
  }

  private mutating func write(_ frame: EventFrame) throws {
    try file.write(frame.bytes.span)
    let words = frame.filter.words
    blocks.append(
      EventsIndex.Block(
        offset: fileOffset, size: UInt64(frame.bytes.count), filterOffset: indexOffset,
        filterWords: UInt64(words.count), firstKey: frame.firstKey, lastKey: frame.lastKey))
    fileOffset += UInt64(frame.bytes.count)
    for word in words {
      index.rows.append(littleEndian: word)
      if index.rows.count >= Self.filterBytes { try index.flush() }
    }
    indexOffset += UInt64(words.count) * 8
  }
}
