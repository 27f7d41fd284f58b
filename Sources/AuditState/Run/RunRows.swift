internal import AppAttest
internal import AuditEngine
internal import AuditLog
internal import RowShuffle

/// A run that awaited challenges of its events from a time on.
struct AwaitedRun: Equatable {
  var run: Int64
  /// Milliseconds since 1970.
  var from: Int64
}

/// The replay window of one run: the segments of earlier ones, and the one that it writes.
@safe final class RunHashes: HashMemory, @unchecked Sendable {
  // Used by one thread at a time, as `HashMemory` demands; the run finishes it afterwards.

  private let segments: [HashSegment]
  /// ``RunMemory/unsettled``.
  private let unsettled: Set<UInt32>
  private var readers: [HashSegmentReader]?
  private let records: SegmentWriter
  private let prefixes: SegmentWriter
  /// The group of the record that was remembered last: hash and length.
  private var last = (Digest256(), UInt8(0))
  private(set) var times: RecordTimes
  /// The run whose awaited challenges no later one has asked for, or nil if there is none.
  private(set) var awaited: AwaitedRun?
  /// The time from which on this run awaits challenges, or nil if it awaits none.
  private(set) var awaitedFrom: Int64?

  /// Reads `segments`, in the order of their runs; `clock` is the run's. `awaited` is the earlier run
  /// that awaited challenges.
  init(
    _ segments: [HashSegment], clock: Int64, _ records: SegmentWriter, _ prefixes: SegmentWriter,
    awaited: AwaitedRun? = nil, unsettled: Set<UInt32> = []
  ) {
    self.segments = segments
    self.unsettled = unsettled
    self.awaited = awaited
    times = RecordTimes(clock: clock)
    (self.records, self.prefixes) = (records, prefixes)
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

  func forEachFront(_ body: (UnsafeRawBufferPointer) -> Void) throws(AuditError) {
    for segment in segments {
      segment.prefixes.file.readsAhead()
      let blocks = SegmentBlocks(segment.prefixes)
      for block in segment.prefixes.entry.blocks { unsafe body(try blocks.payload(of: block)) }
    }
  }

  /// Returns the readers, whose buffers are not there before the first group is asked for.
  private func opened() throws(AuditError) -> [HashSegmentReader] {
    if let readers { return readers }
    let opened = try segments.map { (segment) throws(StateError) in try HashSegmentReader(segment) }
    readers = opened
    return opened
  }

  func remember(_ record: UnsafeRawBufferPointer) throws(AuditError) {
    guard record.count == KeptRecord.byteCount else {
      throw .misuse("a record of \(record.count) bytes is remembered")
    }
    let group = unsafe (
      Digest256(copying: record.baseAddress.unsafelyUnwrapped), record[Digest256.byteCount]
    )
    guard last <= group else {
      throw .misuse("records are not remembered in ascending order of groups")
    }
    last = group
    unsafe try records.append(record)
    unsafe try prefixes.append(
      UnsafeRawBufferPointer(rebasing: record[..<HashSegmentReader.prefixBytes]))
    times.take(unsafe KeptRecord.time(of: record))
  }

  func awaitChallenges(from time: Int64) { awaitedFrom = time }

  func forEachUnsettled(
    checksChallenges: Bool, _ body: (Digest256, _ length: UInt8) throws(AuditError) -> Void
  ) throws(AuditError) {
    let awaited = checksChallenges ? self.awaited : nil
    if checksChallenges { self.awaited = nil }
    // Those of another log are of the last run.
    let last = unsettled.isEmpty ? nil : segments.last
    for segment in segments {
      let from = segment.records.entry.run == awaited?.run ? awaited?.from : nil
      guard from != nil || segment.records.entry.run == last?.records.entry.run else { continue }
      var asked: (Digest256, UInt8)?
      try eachRecord(of: segment.records) { (record) throws(AuditError) in
        let isAwaited =
          from.map { record.time >= $0 } == true && record.kind != .challenge
          && record.hashLength == 32
        let hash = (record.hash, record.hashLength)
        guard isAwaited || unsettled.contains(record.position.source),
          asked.map({ $0 != hash }) ?? true
        else { return }
        asked = hash
        try body(record.hash, record.hashLength)
      }
    }
  }

  private func eachRecord(
    of file: SegmentFile, _ body: (KeptRecord) throws(AuditError) -> Void
  ) throws(AuditError) {
    let blocks = SegmentBlocks(file)
    defer { withExtendedLifetime(blocks) {} }
    for block in file.entry.blocks {
      let payload = unsafe try blocks.payload(of: block)
      for start in stride(from: 0, to: payload.count, by: KeptRecord.byteCount) {
        try body(
          unsafe try KeptRecord(
            UnsafeRawBufferPointer(rebasing: payload[start..<(start + KeptRecord.byteCount)])))
      }
    }
  }

  var count: UInt64 {
    segments.reduce(records.rows) { $0 &+ $1.records.entry.rows }
  }

  /// Ends the writing: the segments on the disk, but for their names; none if nothing was remembered.
  func finish() throws(StateError) -> [SegmentEntry] {
    readers = nil
    return [try records.finish(times), try prefixes.finish(times)].compactMap(\.self)
  }
}

/// The kept rows of one run: the segments of earlier ones, and the one that it writes.
@safe final class RunEvents: EventMemory, @unchecked Sendable {
  // Used by one thread at a time, as `EventMemory` demands; the run finishes it afterwards.

  private let segments: [SegmentFile]
  let writer: SegmentWriter

  init(_ segments: [SegmentFile], _ writer: SegmentWriter) {
    self.segments = segments
    self.writer = writer
  }

  func runs(from marks: [KeptRowMark]) throws(AuditError) -> [any RowRunSource] {
    let positions = Dictionary(marks.map { ($0.run, $0.position) }, uniquingKeysWith: max)
    return segments.map { EventSegmentReader($0, from: positions[$0.entry.run] ?? 0) }
  }

  var namesDevices: Bool { segments.contains(where: \.entry.namesDevices) }

  func marks() throws(AuditError) -> [KeptRowMark] {
    var marks: [KeptRowMark] = []
    for segment in segments { marks += try EventSegmentReader(segment).marks() }
    return marks
  }

  func keep(_ row: UnsafeRawBufferPointer) throws(AuditError) {
    guard row.count <= RowRun.maximumRowBytes else {
      throw .misuse("a row of \(row.count) bytes is kept")
    }
    if unsafe Self.namesDevice(row) { writer.noteDevice() }
    unsafe try writer.append(row)
  }
}

extension AuditError {
  /// Returns a caller who does not keep to a protocol: our own mistake.
  static func misuse(_ what: String) -> AuditError { AuditError(.inconsistent, what) }
}
