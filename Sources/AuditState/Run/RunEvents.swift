internal import AuditEngine
internal import RowShuffle

/// The kept rows of one run: the segments of earlier ones, and the one that it writes.
@safe final class RunEvents: EventMemory, @unchecked Sendable {
  // Rows are kept by one thread at a time, as `EventMemory` demands; the run finishes it
  // afterwards.

  private let segments: [SegmentFile]
  private let makeWriter: (() throws(StateError) -> EventSegmentWriter)?
  private var writer: EventSegmentWriter?

  /// Reads `segments`, in the order of their runs; `makeWriter` is nil for `reference`.
  init(
    _ segments: [SegmentFile], makeWriter: (() throws(StateError) -> EventSegmentWriter)?
  ) {
    self.segments = segments
    self.makeWriter = makeWriter
  }

  func runs() throws(AuditError) -> [any RowRunSource] {
    segments.map { EventSegmentReader($0) }
  }

  func runs(from marks: [KeptRowMark]) throws(AuditError) -> [any RowRunSource] {
    let positions = Dictionary(marks.map { ($0.run, $0.position) }, uniquingKeysWith: max)
    return segments.map { EventSegmentReader($0, from: positions[$0.header.run] ?? 0) }
  }

  func marks() throws(AuditError) -> [KeptRowMark] {
    var marks: [KeptRowMark] = []
    for segment in segments {
      marks += try EventSegmentReader(segment).marks()
    }
    return marks
  }

  func keep(_ row: UnsafeRawBufferPointer) throws(AuditError) {
    guard let makeWriter else { throw .misuse("a row is kept without advance") }
    guard row.count <= EventSegmentWriter.maximumRowBytes else {
      throw .misuse("a row of \(row.count) bytes is kept")
    }
    if writer == nil { writer = try makeWriter() }
    unsafe try writer?.append(row)
  }

  /// Ends the writing: the segment on the disk, but for its name, or nil if nothing was kept.
  func finish(_ times: RecordTimes) throws(StateError) -> SegmentEntry? {
    defer { writer = nil }
    return try writer?.finish(times)
  }
}
