internal import AppAttest
internal import AuditLog
internal import Compression
internal import Files

/// A reader of the blocks of `events.csv.zst` that may hold certain events.
struct EventsReader: ~Copyable {
  /// The size of the largest frame that is accepted, in bytes.
  private static let frameLimit: UInt64 = 1 << 30

  private let file: RandomFile
  private let index: RandomFile
  private let blocks: [EventsIndex.Block]

  /// Opens the index of a report.
  init(_ report: StoredReport) throws(ReportError) {
    guard report.has(EventsCSV.name), report.has(EventsIndex.name) else {
      throw ReportError(.noIndex, "\(report.path) has no index of events")
    }
    let file = try RandomFile(folder: report.path, name: EventsCSV.name)
    let index = try RandomFile(folder: report.path, name: EventsIndex.name)
    try Self.check(file, report)
    try Self.check(index, report)
    blocks = try Self.blocks(index, file.size)
    self.file = file
    self.index = index
  }

  /// Throws if a file is not as long as the manifest says.
  private static func check(
    _ file: RandomFile, _ report: StoredReport
  ) throws(ReportError) {
    let isWhole = report.entries.contains {
      PathText.join(report.path, $0.name) == file.path && $0.size == file.size
    }
    guard isWhole else { throw ReportError(.invalid, "\(file.path) is not as long as it was") }
  }

  private static func blocks(
    _ index: RandomFile, _ fileSize: UInt64
  ) throws(ReportError) -> [EventsIndex.Block] {
    let damaged = ReportError(.invalid, "\(index.path) is damaged")
    let footer = UInt64(EventsIndex.footerBytes)
    guard index.size >= footer + UInt64(EventsIndex.magic.count),
      try index.read(at: 0, count: EventsIndex.magic.count) == EventsIndex.magic
    else { throw damaged }
    let numbers = try index.read(at: index.size - footer, count: EventsIndex.footerBytes)[...]
    let (start, count) = (numbers.littleEndian(at: 0), numbers.littleEndian(at: 8))
    let length = index.size - footer
    guard start <= length, (length - start) % UInt64(EventsIndex.Block.byteCount) == 0,
      (length - start) / UInt64(EventsIndex.Block.byteCount) == count
    else { throw damaged }
    let bytes = try index.read(at: start, count: Int(length - start))
    var blocks: [EventsIndex.Block] = []
    var offset = 0
    while offset < bytes.count {
      let end = offset + EventsIndex.Block.byteCount
      guard let block = EventsIndex.Block(bytes[offset..<end]), block.size <= frameLimit,
        block.offset <= fileSize, block.size <= fileSize - block.offset,
        block.filterOffset <= start, block.filterWords <= (start - block.filterOffset) / 8
      else { throw damaged }
      blocks.append(block)
      offset = end
    }
    return blocks
  }

  /// Calls `body` with every event that `query` selects, in order of key and time.
  func forEachEvent(_ query: TimelineQuery, _ body: (TimelineEvent) throws -> Void) throws {
    var query = query
    // The header is in a frame that no search reads.
    let places = EventColumns.all.list.indices.map { Optional($0) }
    for block in blocks where try mayHold(block, query) {
      try forEachRow(of: block) { fields in
        var event = TimelineEvent()
        guard EventColumns.all.read(fields, places, into: &event) else {
          throw ReportError(.invalid, "\(file.path) has a row that is none of an event")
        }
        if query.takes(event) { try body(event) }
      }
    }
  }

  private func mayHold(
    _ block: EventsIndex.Block, _ query: TimelineQuery
  ) throws(ReportError) -> Bool {
    if query.keys.contains(where: { !($0 < block.firstKey) && !(block.lastKey < $0) }) {
      return true
    }
    if query.hasPlaces, block.firstKey == Digest256() { return true }
    let hashes = query.filterHashes
    guard !hashes.isEmpty else { return false }
    let bytes = try index.read(at: block.filterOffset, count: Int(block.filterWords) * 8)[...]
    let words = stride(from: 0, to: bytes.count, by: 8).map { bytes.littleEndian(at: $0) }
    let filter = EventFilter(words: words)
    return hashes.contains { filter.mayContain($0) }
  }

  private func forEachRow(
    of block: EventsIndex.Block, _ body: ([String]) throws -> Void
  ) throws {
    let frame = try file.read(at: block.offset, count: Int(block.size))
    let text = try Frame.unpacked(frame, file.path)
    var rows = CSVRows(limit: Int(Self.frameLimit))
    for line in text.split(separator: 0x0A, omittingEmptySubsequences: false) {
      if line.isEmpty, !rows.isInsideField { continue }
      let fields: [String]?
      do throws(CSVRows.Problem) { fields = try rows.take(Array(line)) } catch {
        throw ReportError(.invalid, "\(file.path) has a row that is no CSV")
      }
      if let fields { try body(fields) }
    }
  }
}

/// A zstd frame of a report.
private enum Frame {
  /// The largest number of bytes that a frame may decompress to.
  private static let limit = 1 << 30

  private final class Source {
    var bytes: ArraySlice<UInt8>
    init(_ bytes: [UInt8]) { self.bytes = bytes[...] }
  }

  static func unpacked(_ frame: [UInt8], _ path: String) throws -> [UInt8] {
    let source = Source(frame)
    let decoder = unsafe StreamDecoder(format: .zstd, windowLimit: 128 << 20) { target in
      let count = min(target.count, source.bytes.count)
      unsafe target.copyBytes(from: source.bytes.prefix(count))
      source.bytes = source.bytes.dropFirst(count)
      return count
    }
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      var span = chunk.mutableSpan
      switch try decoder.next(into: &span) {
      case .bytes(let count): text += chunk[..<count]
      case .end: return text
      case .damage: throw ReportError(.invalid, "\(path) is damaged")
      }
      guard text.count <= limit else { throw ReportError(.invalid, "\(path) is damaged") }
    }
  }
}
