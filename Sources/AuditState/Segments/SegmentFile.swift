internal import AppAttest
internal import AuditEngine
internal import Files
internal import OpenSSL

/// A segment that is open for reading, and whose header is the one that the database names.
struct SegmentFile: Sendable {
  let file: OpenFile
  let header: SegmentHeader

  /// Opens a segment in `folder`, and reads its header. Throws `.damaged` for another file.
  init(_ entry: SegmentEntry, in folder: Folder) throws(StateError) {
    guard let file = try folder.open(entry.path) else {
      throw .damaged(entry.path, "it is not there")
    }
    let bytes = try file.bytes(count: SegmentHeader.byteCount)
    guard Digest256.sha256(bytes.span).bytes == entry.sha256, let header = SegmentHeader(bytes),
      header.kind == entry.kind, header.run == entry.run, header.rows == entry.rows
    else { throw .damaged(entry.path, "its header is not what was written") }
    guard header.fileBytes == (try file.size()), UInt64(header.fileBytes) == entry.bytes else {
      throw .damaged(entry.path, "it is not as long as it was written")
    }
    self.file = file
    self.header = header
  }

  func verify() throws(StateError) {
    var digest = SHA256Stream()
    for section in header.sections {
      let buffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: section.blockBytes, alignment: 64)
      defer { unsafe buffer.deallocate() }
      for index in 0..<section.blockCount {
        let checksum = unsafe try section.read(index, of: file, run: header.run, into: buffer)
        unsafe withUnsafeBytes(of: checksum.littleEndian) { unsafe digest.update($0) }
      }
    }
    guard digest.digest() == header.digest else {
      throw .damaged(file.name, "its blocks are not those that were written")
    }
  }
}

/// The header of a segment: its kind, its size, and a digest of all of its blocks.
///
/// Layout, numbers little-endian: magic, 8; version of the format, 4; kind, 4; run, 8; rows, 8;
/// bytes of payload of the rows, 8; bytes of a block of rows, 8; of a block of prefixes, 8 (0: there
/// are none); SHA-256 over the checksums of all blocks in their order, 32; zeros.
struct SegmentHeader: Equatable, Sendable {
  static let byteCount = 4096
  private static let magic: UInt64 = 0x0A47_4553_5453_5441  // "ATSTSEG\n"
  private static let version: UInt32 = 1
  /// Larger numbers are no lengths of files.
  private static let limit: UInt64 = 1 << 56

  var kind = SegmentKind.events
  var run: Int64 = 0
  var rows: UInt64 = 0
  /// The section of rows: records, or kept rows.
  var payloadBytes: UInt64 = 0
  var blockBytes = 0
  /// The size of the blocks of prefixes, or 0 if the segment has none.
  var prefixBlockBytes = 0
  /// 32 bytes.
  var digest = [UInt8](repeating: 0, count: 32)

  var body: SegmentSection {
    let room = blockBytes - SegmentBlock.trailerBytes
    // A record is never split between two blocks.
    let unit = kind == .hashes ? KeptRecord.byteCount : 1
    return SegmentSection(
      blockBytes: blockBytes, payloadBytes: room / unit * unit, totalBytes: Int(payloadBytes),
      offset: Self.byteCount, firstBlock: 0)
  }

  /// The first 16 bytes of each record, behind the records.
  var prefixes: SegmentSection {
    let body = body
    return SegmentSection(
      blockBytes: prefixBlockBytes,
      payloadBytes: prefixBlockBytes - SegmentBlock.trailerBytes,
      totalBytes: Int(rows) * HashSegmentReader.prefixBytes, offset: body.end,
      firstBlock: body.blockCount)
  }

  var sections: [SegmentSection] { prefixBlockBytes == 0 ? [body] : [body, prefixes] }

  var fileBytes: Int { sections.last?.end ?? 0 }

  var bytes: [UInt8] {
    let bytes = packed
    return bytes + [UInt8](repeating: 0, count: Self.byteCount - bytes.count)
  }
}

extension SegmentHeader: CodedRow {
  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    var (magic, version) = (Self.magic, Self.version)
    var number: UInt32 = kind == .hashes ? 0 : 1
    try coder.number(&magic)
    try coder.number(&version)
    try coder.number(&number)
    try coder.require(magic == Self.magic && version == Self.version && number < 2)
    kind = number == 0 ? .hashes : .events
    try coder.number(&run)
    try coder.number(&rows)
    try coder.number(&payloadBytes)
    try coder.require(rows < Self.limit && payloadBytes < Self.limit)
    try coder.number(&blockBytes)
    try coder.number(&prefixBlockBytes)
    try coder.require(Self.isBlock(blockBytes))
    switch kind {
    case .hashes:
      try coder.require(Self.isBlock(prefixBlockBytes))
      try coder.require(payloadBytes == rows * UInt64(KeptRecord.byteCount))
    case .events: try coder.require(prefixBlockBytes == 0)
    }
    try coder.bytes(&digest, count: 32)
  }

  /// Reads what ``bytes`` wrote, or gives nil for any other bytes.
  init?(_ bytes: [UInt8]) {
    let count = SegmentHeader().packed.count
    guard let header = SegmentHeader(packed: Array(bytes.prefix(count))), header.bytes == bytes
    else { return nil }
    self = header
  }

  /// Returns whether a block has a power of two of bytes, within bounds.
  private static func isBlock(_ bytes: Int) -> Bool {
    (1 << 12...1 << 20).contains(bytes) && bytes & (bytes - 1) == 0
  }
}

/// The place of a section of equal blocks in a segment, and its contents.
struct SegmentSection: Equatable, Sendable {
  /// Bytes of a block: a power of two.
  var blockBytes: Int
  /// Bytes of payload in a full block, at most what the trailer leaves.
  var payloadBytes: Int
  /// Bytes of payload in all blocks together; the last one is filled up with zeros.
  var totalBytes: Int
  /// The offset in the file at which it begins.
  var offset: Int
  /// The number of its first block in the segment.
  var firstBlock: Int

  var blockCount: Int { (totalBytes + payloadBytes - 1) / payloadBytes }
  /// The offset in the file at which it ends.
  var end: Int { offset + blockCount * blockBytes }

  func payload(of index: Int) -> Int { min(payloadBytes, totalBytes - index * payloadBytes) }

  /// Reads a block into `buffer`, which is as large, and checks it, or throws `.damaged`.
  @discardableResult
  func read(
    _ index: Int, of file: OpenFile, run: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StateError) -> UInt64 {
    unsafe try file.fill(buffer, at: offset + index * blockBytes)
    let number = SegmentBlock.number(run: run, index: firstBlock + index)
    guard let checksum = unsafe SegmentBlock.verify(UnsafeRawBufferPointer(buffer), number: number)
    else {
      throw .damaged(
        file.name,
        "the block at byte \(offset + index * blockBytes) is not what was written")
    }
    return checksum
  }
}

/// A block of a segment: a payload, which block it is of which run's segment (8 bytes), and a
/// checksum of both (the first 8 bytes of their SHA-256). Nothing of a block is used before its
/// checksum held.
enum SegmentBlock {
  static let trailerBytes = 16
  private static let checksumBytes = 8

  /// Returns what tells a block from any other: one in another place is damage, too.
  static func number(run: Int64, index: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: run) << 40 | UInt64(truncatingIfNeeded: index) & 0xFF_FFFF_FFFF
  }

  /// Writes the trailer of a block whose payload is complete, and returns its checksum.
  @discardableResult
  static func seal(_ block: UnsafeMutableRawBufferPointer, number: UInt64) -> UInt64 {
    unsafe block.storeBytes(
      of: number.littleEndian, toByteOffset: block.count - trailerBytes, as: UInt64.self)
    let checksum = unsafe checksum(UnsafeRawBufferPointer(block))
    unsafe block.storeBytes(
      of: checksum.littleEndian, toByteOffset: block.count - checksumBytes, as: UInt64.self)
    return checksum
  }

  /// Returns the checksum of a block, or nil if the block is not what it should be.
  static func verify(_ block: UnsafeRawBufferPointer, number: UInt64) -> UInt64? {
    let held = unsafe block.loadUnaligned(
      fromByteOffset: block.count - trailerBytes, as: UInt64.self)
    let stored = unsafe block.loadUnaligned(
      fromByteOffset: block.count - checksumBytes, as: UInt64.self)
    guard UInt64(littleEndian: held) == number else { return nil }
    let checksum = unsafe checksum(block)
    return UInt64(littleEndian: stored) == checksum ? checksum : nil
  }

  private static func checksum(_ block: UnsafeRawBufferPointer) -> UInt64 {
    let covered = unsafe UnsafeRawBufferPointer(rebasing: block.dropLast(checksumBytes))
    return unsafe Digest256.sha256(Span(_unsafeBytes: covered)).prefix
  }
}
