internal import AppAttest
internal import AuditLog

/// The header of a segment: its kind, its size, and a digest of all of its blocks.
///
/// Layout, numbers little-endian: magic, 8; version of the format, 4; kind, 4; run, 8; rows, 8;
/// bytes of payload of the rows, 8; bytes of a block of rows, 8; of a block of prefixes, 8 (0: there
/// are none); SHA-256 over the checksums of all blocks in their order, 32; zeros.
struct SegmentHeader: Equatable, Sendable {
  static let byteCount = 4096
  private static let magic: UInt64 = 0x0A47_4553_5453_5441  // "ATSTSEG\n"
  private static let version: UInt32 = 1
  /// The blocks that are allowed, in bytes.
  private static let blockRange = 1 << 12...1 << 20
  /// Larger numbers are no lengths of files.
  private static let limit: UInt64 = 1 << 56

  var kind: SegmentKind
  var run: Int64
  var rows: UInt64
  /// The section of rows: records, or kept rows.
  var payloadBytes: UInt64
  var blockBytes: Int
  /// The size of the blocks of prefixes, or 0 if the segment has none.
  var prefixBlockBytes: Int
  /// 32 bytes.
  var digest: [UInt8]

  /// The rows.
  var body: SegmentSection {
    SegmentSection(
      blockBytes: blockBytes,
      payloadBytes: kind == .hashes
        ? HashSegment.recordBytes(of: blockBytes) : blockBytes - SegmentBlock.trailerBytes,
      totalBytes: Int(payloadBytes), offset: Self.byteCount, firstBlock: 0)
  }

  /// The first 16 bytes of each record, behind the records.
  var prefixes: SegmentSection {
    let body = body
    return SegmentSection(
      blockBytes: prefixBlockBytes,
      payloadBytes: prefixBlockBytes - SegmentBlock.trailerBytes,
      totalBytes: Int(rows) * HashSegment.prefixBytes, offset: body.end,
      firstBlock: body.blockCount)
  }

  /// The length that the file must have.
  var fileBytes: Int { prefixBlockBytes == 0 ? body.end : prefixes.end }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    func put<Number: FixedWidthInteger>(_ number: Number) {
      for index in 0..<MemoryLayout<Number>.size {
        bytes.append(UInt8(truncatingIfNeeded: number >> Number(8 * index)))
      }
    }
    put(Self.magic)
    put(Self.version)
    put(UInt32(kind == .hashes ? 0 : 1))
    put(run)
    put(rows)
    put(payloadBytes)
    put(UInt64(blockBytes))
    put(UInt64(prefixBlockBytes))
    bytes += digest
    return bytes + [UInt8](repeating: 0, count: Self.byteCount - bytes.count)
  }

  /// Reads what ``bytes`` wrote, or gives nil for any other bytes.
  init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    func number(_ offset: Int, _ count: Int) -> UInt64 {
      (0..<count).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
    }
    guard number(0, 8) == Self.magic, number(8, 4) == UInt64(Self.version), number(12, 4) < 2,
      let run = Int64(exactly: number(16, 8)), number(24, 8) < Self.limit,
      number(32, 8) < Self.limit, let blockBytes = Int(exactly: number(40, 8)),
      let prefixBlockBytes = Int(exactly: number(48, 8)), Self.isBlock(blockBytes)
    else { return nil }
    kind = number(12, 4) == 0 ? .hashes : .events
    self.run = run
    rows = number(24, 8)
    payloadBytes = number(32, 8)
    self.blockBytes = blockBytes
    self.prefixBlockBytes = prefixBlockBytes
    digest = Array(bytes[56..<88])
    guard self.bytes == bytes else { return nil }
    switch kind {
    case .hashes:
      guard Self.isBlock(prefixBlockBytes),
        payloadBytes == rows * UInt64(HashSegment.recordBytes)
      else { return nil }
    case .events: guard prefixBlockBytes == 0 else { return nil }
    }
  }

  /// Returns whether a block has a power of two of bytes, within bounds.
  private static func isBlock(_ bytes: Int) -> Bool {
    blockRange.contains(bytes) && bytes & (bytes - 1) == 0
  }

  init(
    kind: SegmentKind, run: Int64, rows: UInt64, payloadBytes: UInt64, blockBytes: Int,
    prefixBlockBytes: Int, digest: [UInt8]
  ) {
    self.kind = kind
    self.run = run
    self.rows = rows
    self.payloadBytes = payloadBytes
    self.blockBytes = blockBytes
    self.prefixBlockBytes = prefixBlockBytes
    self.digest = digest
  }

  /// Returns what the database holds of the header.
  static func sha256(_ bytes: [UInt8]) -> [UInt8] { Digest256.sha256(bytes.span).bytes }
}
