internal import AuditEngine

/// The layout of a segment of hashes: the header, the records in blocks of 4 KiB, and their
/// prefixes, which every run reads from front to back, in blocks of up to 64 KiB. A record is read
/// only where its prefix is asked for.
enum HashSegment {
  static let recordBytes = KeptRecord.byteCount
  static let groupBytes = KeptRecord.groupLength
  /// The first bytes of a record, of the clientDataHash.
  static let prefixBytes = 16
  static let recordBlockBytes = 4096

  /// Returns the number of bytes of whole records in a block.
  static func recordBytes(of blockBytes: Int) -> Int {
    (blockBytes - SegmentBlock.trailerBytes) / recordBytes * recordBytes
  }

  /// Returns the blocks of prefixes for so many: small ones for small segments, so that many of
  /// these can be read at once.
  static func prefixBlockBytes(rows: UInt64) -> Int {
    var bytes = 4096
    while bytes < 65_536, UInt64(bytes) < rows / 16 { bytes *= 2 }
    return bytes
  }
}
