internal import AppAttest
internal import AuditEngine
internal import Files
internal import Glibc
internal import OpenSSL

/// A writer of a run's segment, made with its first row. Kept rows stand behind their lengths (4
/// bytes, in the machine's order), across blocks of 16 KiB; records of hashes in blocks of 4 KiB,
/// and behind them their prefixes in blocks of up to 64 KiB.
final class SegmentWriter {
  private let folder: Folder
  private var header: SegmentHeader
  private var file: OpenFile?
  private var body: BlockWriter?
  private let prefixes: SpillLog
  private var digest = SHA256Stream()
  private var last = [UInt8](repeating: 0, count: KeptRecord.groupLength)

  init(_ kind: SegmentKind, _ folder: Folder, run: Int64) {
    self.folder = folder
    header = SegmentHeader(kind: kind, run: run, blockBytes: kind == .hashes ? 4096 : 16_384)
    prefixes = SpillLog(folder)
  }

  var rows: UInt64 { header.rows }

  /// Returns whether a record may follow the last one: groups ascend, or are equal.
  func mayFollow(_ record: UnsafeRawBufferPointer) -> Bool {
    unsafe record.count == KeptRecord.byteCount
      && last.withUnsafeBytes {
        unsafe memcmp(
          $0.baseAddress.unsafelyUnwrapped, record.baseAddress.unsafelyUnwrapped, $0.count) <= 0
      }
  }

  func append(_ row: UnsafeRawBufferPointer) throws(StateError) {
    let body = try opened()
    switch header.kind {
    case .hashes:
      unsafe last.withUnsafeMutableBytes {
        unsafe $0.copyMemory(from: .init(rebasing: row.prefix($0.count)))
      }
      unsafe try prefixes.append(.init(rebasing: row.prefix(HashSegmentReader.prefixBytes)))
    case .events:
      unsafe try withUnsafeBytes(of: UInt32(truncatingIfNeeded: row.count)) {
        (bytes) throws(StateError) in unsafe try body.append(bytes, &digest)
      }
    }
    unsafe try body.append(row, &digest)
    header.rows += 1
  }

  private func opened() throws(StateError) -> BlockWriter {
    if let body { return body }
    let file = try folder.create(header.kind.path(header.run))
    let body = BlockWriter(file, run: header.run, header.body)
    (self.file, self.body) = (file, body)
    return body
  }

  /// Writes what is left and the header, and flushes the file. Returns nil if there are no rows.
  func finish(_ times: RecordTimes) throws(StateError) -> SegmentEntry? {
    guard let file, let body else { return nil }
    try body.finish(&digest)
    header.payloadBytes = UInt64(body.totalBytes)
    if header.kind == .hashes {
      // Small blocks for small segments: many of these are read at once.
      header.prefixBlockBytes = 4096
      while header.prefixBlockBytes < 65_536, header.prefixBlockBytes < rows / 16 {
        header.prefixBlockBytes *= 2
      }
      let section = BlockWriter(file, run: header.run, header.prefixes)
      unsafe try prefixes.forEachPiece { bytes throws(StateError) in
        unsafe try section.append(bytes, &digest)
      }
      try section.finish(&digest)
    }
    header.digest = digest.digest()
    let bytes = header.bytes
    try file.write(bytes, at: 0)
    try file.flush()
    return SegmentEntry(
      kind: header.kind, run: header.run, rows: rows, bytes: UInt64(header.fileBytes),
      sha256: Digest256.sha256(bytes.span).bytes, created: times.clock, latest: times.latest)
  }
}

/// A writer of a section of a segment, block after block.
@safe private final class BlockWriter {
  private static let batchBytes = 1 << 18

  private let file: OpenFile
  private let run: Int64
  private let section: SegmentSection
  private let buffer: UnsafeMutableRawBufferPointer
  /// The place of the buffer's first block in the file.
  private var position: Int
  private var sealed = 0
  /// Bytes of payload in the block that is being filled.
  private var filled = 0
  private var blocks = 0
  private(set) var totalBytes = 0

  /// Makes a section; how many bytes it will have need not be known.
  init(_ file: OpenFile, run: Int64, _ section: SegmentSection) {
    self.file = file
    self.run = run
    self.section = section
    position = section.offset
    unsafe buffer = .allocate(
      byteCount: max(Self.batchBytes, section.blockBytes), alignment: 64)
    unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
  }

  deinit {
    unsafe buffer.deallocate()
  }

  /// Appends bytes of payload; each full block's checksum goes into `digest`.
  func append(
    _ bytes: UnsafeRawBufferPointer, _ digest: inout SHA256Stream
  ) throws(StateError) {
    var taken = 0
    while taken < bytes.count {
      let count = min(bytes.count - taken, section.payloadBytes - filled)
      let start = sealed * section.blockBytes + filled
      unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[start..<(start + count)])
        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[taken..<(taken + count)]))
      filled += count
      taken += count
      if filled == section.payloadBytes { try seal(&digest) }
    }
    totalBytes += bytes.count
  }

  /// Writes what is left, the last block filled up with zeros.
  func finish(_ digest: inout SHA256Stream) throws(StateError) {
    if filled > 0 { try seal(&digest) }
    try flush()
  }

  private func seal(_ digest: inout SHA256Stream) throws(StateError) {
    let start = sealed * section.blockBytes
    let block = unsafe UnsafeMutableRawBufferPointer(
      rebasing: buffer[start..<(start + section.blockBytes)])
    for index in filled..<(block.count - SegmentBlock.trailerBytes) { unsafe block[index] = 0 }
    let number = SegmentBlock.number(run: run, index: section.firstBlock + blocks)
    let checksum = unsafe SegmentBlock.seal(block, number: number).littleEndian
    unsafe withUnsafeBytes(of: checksum) { unsafe digest.update($0) }
    blocks += 1
    sealed += 1
    filled = 0
    if unsafe (sealed + 1) * section.blockBytes > buffer.count { try flush() }
  }

  private func flush() throws(StateError) {
    guard sealed > 0 else { return }
    unsafe try file.write(
      UnsafeRawBufferPointer(rebasing: buffer[..<(sealed * section.blockBytes)]), at: position)
    position += sealed * section.blockBytes
    sealed = 0
  }
}
