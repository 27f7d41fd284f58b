/// The sizes of a stream's frames, as the seekable format of zstd keeps them in a skippable frame
/// at the end (zstd's `contrib/seekable_format/zstd_seekable_compression_format.md`).
struct SeekTable {
  /// The lowest four bits of the skippable frame's magic number.
  static let variant: UInt8 = 0xE
  private static let magic: UInt32 = 0x8F92_EAB1
  private static let largestCount = 0x800_0000

  private var entries: [(compressed: UInt32, decompressed: UInt32)] = []

  /// Adds the next frame.
  mutating func append(compressed: UInt64, decompressed: UInt64) throws(CompressionError) {
    guard let compressed = UInt32(exactly: compressed),
      let decompressed = UInt32(exactly: decompressed), entries.count < Self.largestCount
    else {
      throw CompressionError(.seekTable, "a frame does not fit in the table of a seekable stream")
    }
    entries.append((compressed, decompressed))
  }

  /// The content of the skippable frame, little-endian, without frame checksums.
  var content: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(entries.count * 8 + 9)
    for entry in entries {
      Self.append(entry.compressed, to: &bytes)
      Self.append(entry.decompressed, to: &bytes)
    }
    Self.append(UInt32(entries.count), to: &bytes)
    bytes.append(0)
    Self.append(Self.magic, to: &bytes)
    return bytes
  }

  /// Appends four bytes, little-endian.
  static func append(_ number: UInt32, to bytes: inout [UInt8]) {
    for place in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: number >> UInt32(8 * place))) }
  }
}
