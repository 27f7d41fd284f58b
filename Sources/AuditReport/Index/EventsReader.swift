internal import AuditLog
internal import Compression
internal import Files

/// A reader of the frames of `events.csv.zst` that may hold certain events.
struct EventsReader {
  /// The largest number of bytes of a frame, and of what it decompresses to.
  private static let frameLimit = 1 << 30

  private let file: OpenFile
  private let path: String
  private let frames: [EventsIndex.Frame]

  init(_ report: StoredReport) throws {
    guard report.has(EventsCSV.name), report.has(EventsIndex.name) else {
      throw AuditError(.noIndex, "\(report.path) has no index of events")
    }
    let (file, size) = try Self.open(EventsCSV.name, report)
    _ = try Self.open(EventsIndex.name, report)
    (self.file, path) = (file, PathText.join(report.path, EventsCSV.name))
    var frames: [EventsIndex.Frame] = []
    try report.forEachRow(of: EventsIndex.name, EventsIndex.columns, EventsIndex.Frame()) {
      frames.append($0)
    }
    let isWhole = frames.allSatisfy { frame in
      frame.size <= Self.frameLimit && frame.offset <= size && frame.size <= size - frame.offset
    }
    guard isWhole else {
      throw AuditError(.invalid, "\(PathText.join(report.path, EventsIndex.name)) is damaged")
    }
    self.frames = frames
  }

  /// Opens a file that is as long as the manifest says.
  private static func open(
    _ name: String, _ report: StoredReport
  ) throws(AuditError) -> (file: OpenFile, size: UInt64) {
    let (file, status) = try StoredFile.open(folder: report.path, name: name)
    let size = UInt64(clamping: status.size)
    guard report.entries.contains(where: { $0.name == name && $0.size == size }) else {
      throw AuditError(.invalid, "\(PathText.join(report.path, name)) is not as long as it was")
    }
    return (file, size)
  }

  /// Calls `body` with every event that `query` selects, in order of key and time.
  func forEachEvent(_ query: TimelineQuery, _ body: (TimelineEvent) throws -> Void) throws {
    var query = query
    // The header is in a frame that no search reads.
    let places = EventColumns.all.list.indices.map { Optional($0) }
    let keys = query.eventKeys
    for frame in frames where keys?.contains(where: frame.mayHold) ?? true {
      try forEachRow(of: frame) { fields in
        var event = TimelineEvent()
        guard EventColumns.all.read(fields, places, into: &event) else {
          throw AuditError(.invalid, "\(path) has a row that is none of an event")
        }
        if query.takes(event) { try body(event) }
      }
    }
  }

  private func forEachRow(of frame: EventsIndex.Frame, _ body: ([String]) throws -> Void) throws {
    let text = try unpacked(file.bytes(at: Int(frame.offset), limit: Int(frame.size)))
    var rows = CSVRows(limit: Self.frameLimit)
    for line in text.split(separator: 0x0A, omittingEmptySubsequences: false) {
      if line.isEmpty, !rows.isInsideField { continue }
      let fields: [String]?
      do throws(CSVRows.Problem) { fields = try rows.take(Array(line)) } catch {
        throw AuditError(.invalid, "\(path) has a row that is no CSV")
      }
      if let fields { try body(fields) }
    }
  }

  private func unpacked(_ frame: [UInt8]) throws -> [UInt8] {
    var rest = frame[...]
    let decoder = unsafe StreamDecoder(format: .zstd, windowLimit: 128 << 20) { target in
      let count = min(target.count, rest.count)
      unsafe target.copyBytes(from: rest.prefix(count))
      rest = rest.dropFirst(count)
      return count
    }
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    while text.count <= Self.frameLimit {
      var span = chunk.mutableSpan
      switch try decoder.next(into: &span) {
      case .bytes(let count): text += chunk[..<count]
      case .end: return text
      case .damage: throw AuditError(.invalid, "\(path) is damaged")
      }
    }
    throw AuditError(.invalid, "\(path) is damaged")
  }
}
