internal import AuditEngine
internal import OpenSSL

/// A writer of a run's segment of kept rows while they come. Each row follows its length (4 bytes,
/// in the machine's order), across blocks of 16 KiB.
final class EventSegmentWriter {
  static let blockBytes = 16_384
  /// The longest row that is kept: as long as a shuffle's may be.
  static let maximumRowBytes = 16_384

  private let file: StateFile
  private let run: Int64
  private let body: BlockWriter
  private var digest = SHA256Stream()
  private var rows: UInt64 = 0

  /// Creates the file in the state directory.
  init(_ folder: StateFolder, run: Int64) throws(StateError) {
    file = try folder.create(SegmentKind.events.path(run))
    self.run = run
    body = BlockWriter(
      file, run: run, blockBytes: Self.blockBytes,
      payloadBytes: Self.blockBytes - SegmentBlock.trailerBytes, offset: SegmentHeader.byteCount,
      firstBlock: 0)
  }

  func append(_ row: UnsafeRawBufferPointer) throws(StateError) {
    let length = UInt32(truncatingIfNeeded: row.count)
    unsafe try withUnsafeBytes(of: length) { (bytes) throws(StateError) in
      unsafe try body.append(bytes, &digest)
    }
    unsafe try body.append(row, &digest)
    rows += 1
  }

  /// Writes the header and flushes the file; its name is not flushed yet.
  func finish(_ times: RecordTimes) throws(StateError) -> SegmentEntry {
    _ = try body.finish(&digest)
    return try SegmentEntry.finish(
      file,
      SegmentHeader(
        kind: .events, run: run, rows: rows, payloadBytes: UInt64(body.totalBytes),
        blockBytes: Self.blockBytes, prefixBlockBytes: 0, digest: digest.digest()), times)
  }
}
