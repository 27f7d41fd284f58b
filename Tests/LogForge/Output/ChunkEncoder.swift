/// A compressor of single chunks, so that chunks can be made in any order and be put into a file
/// one after the other.
enum ChunkEncoder {
  /// Returns `bytes` in a few frames or members, cut at any byte, not only at ends of lines.
  static func encode(
    _ bytes: [UInt8], as format: FilePlan.Format, level: Int, isLast: Bool,
    _ random: inout ForgeRandom
  ) -> [UInt8] {
    switch format {
    case .plain: return bytes
    case .zstd: return zstd(pieces(of: bytes, &random), level: level, &random)
    case .gzip:
      let members = gzip(pieces(of: bytes, &random), level: level)
      // Tapes and block devices leave zeroes behind the last member.
      return members + [UInt8](repeating: 0, count: isLast && random.once(in: 2) ? 512 : 0)
    }
  }

  /// Returns each piece in a frame, with or without a checksum, and now and then a skippable frame.
  static func zstd(
    _ pieces: [ArraySlice<UInt8>], level: Int, _ random: inout ForgeRandom
  ) -> [UInt8] {
    var bytes = [UInt8]()
    for piece in pieces {
      let hasChecksum = !random.once(in: 3)
      if random.once(in: 3) {
        // RFC 8878, section 3.1.2.
        let content = Array("synthetic".utf8)
        bytes += [0x50 | UInt8(random.below(16)), 0x2A, 0x4D, 0x18, UInt8(content.count), 0, 0, 0]
        bytes += content
      }
      bytes += ZstdFrame.compressed(Array(piece), level: level, checksum: hasChecksum)
    }
    return bytes
  }

  /// Returns each piece in a member.
  static func gzip(_ pieces: [ArraySlice<UInt8>], level: Int) -> [UInt8] {
    (pieces.isEmpty ? [[]] : pieces).flatMap {
      GzipMember.compressed(Array($0), level: level)
    }
  }

  private static func pieces(of bytes: [UInt8], _ random: inout ForgeRandom)
    -> [ArraySlice<UInt8>]
  {
    let cuts = (0..<1 + random.below(3)).map { _ in random.below(bytes.count) }.sorted()
    var pieces = [ArraySlice<UInt8>]()
    var start = 0
    for cut in cuts + [bytes.count] where cut > start {
      pieces.append(bytes[start..<cut])
      start = cut
    }
    return pieces
  }
}
