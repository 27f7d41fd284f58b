import CZlib
import TestSupport

/// A gzip stream, whole or damaged: what comes out does not depend on the pieces it is read in, and
/// without damage is what zlib alone makes of it.
struct GzipTarget: FuzzTarget {
  static let name = "gzip"
  static let limit = 16_384

  static func seeds() throws -> [[UInt8]] {
    let day = SyntheticDay.shared
    let texts = [day.log(0..<2), day.log(2..<5), Array("a\n".utf8)]
    let small = try Packed.gzip(texts[2])
    // All header fields: extra, name, comment, checksum of the header (RFC 1952, 2.3).
    let header: [UInt8] = [0x1F, 0x8B, 8, 0x1C, 0, 0, 0, 0, 0, 3, 2, 0, 9, 9, 0x61, 0, 0x62, 0]
    return [
      try Packed.gzip(members: texts), try Packed.gzip(members: texts, level: 1), small,
      try Packed.gzip([]), header + small.dropFirst(10), small + [0, 0, 0],
    ]
  }

  func run(_ bytes: [UInt8]) throws {
    let bytes = [0x1F, 0x8B] + bytes.dropFirst(2)
    let read = try DecodedStream(bytes, piece: .max, room: 1 << 17)
    let pieces = try DecodedStream(bytes, piece: 1 + bytes.count % 61, room: 997)
    require(read == pieces, "\(read.damages) in one piece, \(pieces.damages) in several")
    guard read.isWhole, read.damages.isEmpty else { return }
    require(plain(bytes) == read.content, "zlib reads something else")
  }

  /// Decodes all members with zlib's own reader of gzip. Returns nil if zlib refuses them. Zeros
  /// behind a member are padding.
  private func plain(_ bytes: [UInt8]) -> [UInt8]? {
    var content: [UInt8] = []
    var bytes = bytes
    var room = [UInt8](repeating: 0, count: 1 << 17)
    var at = 0
    while at < bytes.count {
      if at > 0, bytes[at] == 0 {
        at += 1
        continue
      }
      var stream = unsafe z_stream()
      let version = ZLIB_VERSION
      let size = unsafe Int32(MemoryLayout<z_stream>.size)
      guard unsafe inflateInit2_(&stream, MAX_WBITS + 16, version, size) == Z_OK else { return nil }
      defer { _ = unsafe inflateEnd(&stream) }
      var result = Z_OK
      while result == Z_OK {
        unsafe bytes.withUnsafeMutableBufferPointer { source in
          unsafe room.withUnsafeMutableBufferPointer { target in
            unsafe stream.next_in = source.baseAddress.map { unsafe $0 + at }
            unsafe stream.avail_in = UInt32(source.count - at)
            unsafe stream.next_out = target.baseAddress
            unsafe stream.avail_out = UInt32(target.count)
            result = unsafe inflate(&stream, Z_NO_FLUSH)
            at = unsafe source.count - Int(stream.avail_in)
          }
        }
        content += room[..<(room.count - Int(unsafe stream.avail_out))]
      }
      guard result == Z_STREAM_END else { return nil }
    }
    return content
  }
}
