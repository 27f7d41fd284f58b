import Compression
import LogForge

/// Small compressed streams for tests, whole or damaged.
package enum Packed {
  /// A stream that cannot be unpacked.
  package struct Damaged: Error {
    package var detail: String
  }

  /// Returns one zstd frame with a checksum.
  package static func zstd(_ content: [UInt8], windowLog: Int? = nil) -> [UInt8] {
    ZstdFrame.compressed(content, windowLog: windowLog)
  }

  /// Returns one zstd frame for each content.
  package static func zstd(
    frames contents: [[UInt8]], checksum: Bool = true, windowLog: Int? = nil
  ) -> [UInt8] {
    contents.flatMap { ZstdFrame.compressed($0, checksum: checksum, windowLog: windowLog) }
  }

  /// Returns one gzip member.
  package static func gzip(_ content: [UInt8]) -> [UInt8] { GzipMember.compressed(content) }

  /// Returns one gzip member for each content.
  package static func gzip(members contents: [[UInt8]], level: Int = 6) -> [UInt8] {
    contents.flatMap { GzipMember.compressed($0, level: level) }
  }

  /// Returns a zstd frame (RFC 8878, 3.1.1) of `count` bytes, all of them `byte`, in a few bytes
  /// for each 128 KiB: RLE blocks with a window of 128 KiB.
  package static func bomb(_ byte: UInt8, count: Int) -> [UInt8] {
    let blockBytes = 128 << 10
    var frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, (17 - 10) << 3]
    var left = count
    while left > 0 {
      let size = min(left, blockBytes)
      left -= size
      let header = UInt32(size) << 3 | 1 << 1 | (left == 0 ? 1 : 0)
      frame += (0..<3).map { UInt8(truncatingIfNeeded: header >> (8 * UInt32($0))) } + [byte]
    }
    return frame
  }

  /// Returns the content of a stream of any known format.
  package static func unpack(_ stream: [UInt8]) throws -> [UInt8] {
    let decoded = try DecodedStream(stream)
    if let damage = decoded.damages.first { throw Damaged(detail: damage.detail) }
    return decoded.content
  }
}
