internal import AuditEngine

/// The replay window of one run: the segments of earlier ones, and the one that it writes.
@safe final class RunHashes: HashMemory, @unchecked Sendable {
  // Used by one thread at a time, as `HashMemory` demands; the run finishes it afterwards.

  private let segments: [SegmentFile]
  private let makeWriter: (() throws(StateError) -> HashSegmentWriter)?
  private var readers: [HashSegmentReader]?
  private var writer: HashSegmentWriter?
  /// The times of what was remembered.
  private(set) var times: RecordTimes

  /// Reads `segments`, in the order of their runs; `makeWriter` is nil for `reference`, and `clock`
  /// is the run's.
  init(
    _ segments: [SegmentFile], clock: Int64,
    makeWriter: (() throws(StateError) -> HashSegmentWriter)?
  ) {
    self.segments = segments
    times = RecordTimes(clock: clock)
    self.makeWriter = makeWriter
  }

  func forEach(
    _ group: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(AuditError) -> Void
  ) throws(AuditError) {
    let head = unsafe group.loadUnaligned(as: UInt64.self).bigEndian
    let tail = unsafe group.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian
    for reader in try opened() where reader.head <= head {
      guard try reader.seek(head: head, tail: tail) else { continue }
      while let record = unsafe try reader.next(of: group) { unsafe try body(record) }
    }
  }

  /// Returns the readers, whose buffers are not there before the first group is asked for.
  private func opened() throws(AuditError) -> [HashSegmentReader] {
    if let readers { return readers }
    var opened: [HashSegmentReader] = []
    for segment in segments { opened.append(try HashSegmentReader(segment)) }
    readers = opened
    return opened
  }

  func remember(_ record: UnsafeRawBufferPointer) throws(AuditError) {
    guard let makeWriter else { throw .misuse("a record is remembered without advance") }
    if writer == nil { writer = try makeWriter() }
    guard let writer, unsafe writer.mayFollow(record) else {
      throw .misuse("records are not remembered in ascending order of groups")
    }
    unsafe try writer.append(record)
    times.take(unsafe KeptRecord.time(of: record))
  }

  /// The records of the window, those of this run among them.
  var count: UInt64 { segments.reduce(writer?.rows ?? 0) { $0 &+ $1.header.rows } }

  /// Ends the writing: the segment on the disk, but for its name, or nil if nothing was remembered.
  func finish() throws(StateError) -> SegmentEntry? {
    readers = nil
    defer { writer = nil }
    return try writer?.finish(times)
  }
}

extension AuditError {
  /// Returns a caller who does not keep to a protocol: our own mistake.
  static func misuse(_ what: String) -> AuditError { AuditError(.inconsistent, what) }
}
