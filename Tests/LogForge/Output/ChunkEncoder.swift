internal import Compression

/// A compressor of single chunks, so that chunks can be made in any order and be put into a file
/// one after the other.
enum ChunkEncoder {
  /// A collector of an encoder's output.
  private final class Collector {
    var bytes = [UInt8]()

    func append(_ piece: Span<UInt8>) {
      bytes.reserveCapacity(bytes.count + piece.count)
      for index in piece.indices { bytes.append(piece[index]) }
    }
  }

  /// Returns `bytes` in a few frames or members, cut at any byte, not only at ends of lines.
  static func encode(
    _ bytes: [UInt8], as format: FilePlan.Format, level: Int, isLast: Bool,
    _ random: inout ForgeRandom
  ) throws -> [UInt8] {
    switch format {
    case .plain: return bytes
    case .zstd: return try zstd(pieces(of: bytes, &random), level: level, &random)
    case .gzip:
      let members = gzip(pieces(of: bytes, &random), level: level)
      // Tapes and block devices leave zeroes behind the last member.
      return members + [UInt8](repeating: 0, count: isLast && random.once(in: 2) ? 512 : 0)
    }
  }

  /// Returns each piece in a frame, with or without a checksum, and now and then a skippable frame.
  static func zstd(
    _ pieces: [ArraySlice<UInt8>], level: Int, _ random: inout ForgeRandom
  ) throws -> [UInt8] {
    let collector = Collector()
    for piece in pieces {
      let encoder = try ZstdEncoder(level: level, checksum: !random.once(in: 3)) {
        collector.append($0)
      }
      if random.once(in: 3) {
        // RFC 8878, section 3.1.2.
        let content = Array("synthetic".utf8)
        collector.append(
          ([0x50 | UInt8(random.below(16)), 0x2A, 0x4D, 0x18, UInt8(content.count), 0, 0, 0]
            + content).span)
      }
      try encoder.write(piece.span)
      try encoder.finish()
    }
    return collector.bytes
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
