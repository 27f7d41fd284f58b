internal import AuditEngine
internal import AuditLog
internal import Glibc
internal import OpenSSL

/// A writer of a run's segment of hashes while its records come.
@safe final class HashSegmentWriter {
  private let file: StateFile
  private let run: Int64
  private let records: BlockWriter
  private let prefixes: SpillLog
  private var digest = SHA256Stream()
  private(set) var rows: UInt64 = 0
  /// The group of the last record.
  private var last = [UInt8](repeating: 0, count: HashSegment.groupBytes)

  /// Creates the file in the state directory.
  init(_ folder: StateFolder, run: Int64) throws(StateError) {
    file = try folder.create(SegmentKind.hashes.path(run))
    prefixes = SpillLog(folder)
    self.run = run
    records = BlockWriter(
      file, run: run, blockBytes: HashSegment.recordBlockBytes,
      payloadBytes: HashSegment.recordBytes(of: HashSegment.recordBlockBytes),
      offset: SegmentHeader.byteCount, firstBlock: 0)
  }

  /// Returns whether a record may follow the last one: groups ascend, or are equal.
  func mayFollow(_ record: UnsafeRawBufferPointer) -> Bool {
    unsafe record.count == HashSegment.recordBytes
      && last.withUnsafeBytes {
        unsafe memcmp(
          $0.baseAddress.unsafelyUnwrapped, record.baseAddress.unsafelyUnwrapped,
          HashSegment.groupBytes) <= 0
      }
  }

  /// Appends a record.
  func append(_ record: UnsafeRawBufferPointer) throws(StateError) {
    unsafe last.withUnsafeMutableBytes {
      unsafe $0.copyMemory(from: .init(rebasing: record.prefix(HashSegment.groupBytes)))
    }
    unsafe try records.append(record, &digest)
    unsafe try prefixes.append(.init(rebasing: record.prefix(HashSegment.prefixBytes)))
    rows += 1
  }

  /// Writes the prefixes and the header and flushes the file; its name is not flushed yet.
  func finish(_ times: RecordTimes) throws(StateError) -> SegmentEntry {
    let end = try records.finish(&digest)
    let blockBytes = HashSegment.prefixBlockBytes(rows: rows)
    let body = records.totalBytes / HashSegment.recordBytes(of: HashSegment.recordBlockBytes)
    let rest = records.totalBytes % HashSegment.recordBytes(of: HashSegment.recordBlockBytes)
    let section = BlockWriter(
      file, run: run, blockBytes: blockBytes,
      payloadBytes: blockBytes - SegmentBlock.trailerBytes, offset: end,
      firstBlock: body + (rest > 0 ? 1 : 0))
    unsafe try prefixes.forEachPiece { bytes throws(StateError) in
      unsafe try section.append(bytes, &digest)
    }
    _ = try section.finish(&digest)
    return try SegmentEntry.finish(
      file,
      SegmentHeader(
        kind: .hashes, run: run, rows: rows, payloadBytes: UInt64(records.totalBytes),
        blockBytes: HashSegment.recordBlockBytes, prefixBlockBytes: blockBytes,
        digest: digest.digest()), times)
  }
}

extension SegmentEntry {
  /// Writes the header of a segment whose blocks are written, and flushes it.
  static func finish(
    _ file: StateFile, _ header: SegmentHeader, _ times: RecordTimes
  ) throws(StateError) -> SegmentEntry {
    let bytes = header.bytes
    try file.write(bytes, at: 0)
    try file.flush()
    return SegmentEntry(
      kind: header.kind, run: header.run, rows: header.rows, bytes: UInt64(header.fileBytes),
      sha256: SegmentHeader.sha256(bytes), created: times.clock, latest: times.latest)
  }
}
