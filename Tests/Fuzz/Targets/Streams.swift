import CZlib
import CZstd
import Compression
import TestSupport

extension FuzzTarget {
  /// A zstd stream, whole or damaged: what comes out does not depend on the pieces it is read in, and
  /// without damage is what libzstd alone makes of it.
  static let zstd = FuzzTarget(
    name: "zstd", limit: 16_384, mutations: 2000,
    seeds: {
      let day = SyntheticDay.shared
      let texts = [day.log(0..<2), day.log(2..<5), Array("a\n".utf8)]
      // A header that says more than the frame has, which ends in an empty block.
      let short = zstdMagic + [0x24, 203, 1, 0, 0, 0x99, 0xE9, 0xD8, 0x51]
      // 131,072 times the same byte, and then none: the frame ends where a usual room does.
      let full = zstdMagic + [0, 0x38, 2, 0, 0x10, 0x0A, 3, 0, 0, 0x21]
      return [
        short, full, Packed.zstd(frames: texts),
        Packed.zstd(frames: texts, checksum: false),
        Packed.zstd(texts[0], windowLog: 10), Packed.bomb(0x0A, count: 300_000),
        Packed.zstd([]),
        [0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3] + Packed.zstd(texts[2]),
      ]
    },
    prepare: {
      { bytes in
        // Anything else is another format.
        let bytes = bytes.first == 0x50 ? bytes : zstdMagic + bytes.dropFirst(4)
        let read = try DecodedStream(bytes)
        let pieces = try DecodedStream(
          bytes, piece: 1 + bytes.count % 61, room: [7, 97, 997][bytes.count % 3])
        require(read == pieces, "\(read.damages) in one piece, \(pieces.damages) in several")
        guard read.isWhole, read.damages.isEmpty, bytes.starts(with: zstdMagic) else { return }
        require(byZstd(bytes) == read.content, "libzstd reads something else")
      }
    })

  /// A gzip stream, whole or damaged: what comes out does not depend on the pieces it is read in, and
  /// without damage is what zlib alone makes of it.
  static let gzip = FuzzTarget(
    name: "gzip", limit: 16_384, mutations: 2000,
    seeds: {
      let day = SyntheticDay.shared
      let texts = [day.log(0..<2), day.log(2..<5), Array("a\n".utf8)]
      let small = Packed.gzip(texts[2])
      // All header fields: extra, name, comment, checksum of the header (RFC 1952, 2.3).
      let header: [UInt8] = [0x1F, 0x8B, 8, 0x1C, 0, 0, 0, 0, 0, 3, 2, 0, 9, 9, 0x61, 0, 0x62, 0]
      return [
        Packed.gzip(members: texts), Packed.gzip(members: texts, level: 1), small,
        Packed.gzip([]), header + small.dropFirst(10), small + [0, 0, 0],
      ]
    },
    prepare: {
      { bytes in
        let bytes = [0x1F, 0x8B] + bytes.dropFirst(2)
        let read = try DecodedStream(bytes)
        let pieces = try DecodedStream(
          bytes, piece: 1 + bytes.count % 61, room: [7, 97, 997][bytes.count % 3])
        require(read == pieces, "\(read.damages) in one piece, \(pieces.damages) in several")
        guard read.isWhole, read.damages.isEmpty else { return }
        require(byZlib(bytes) == read.content, "zlib reads something else")
      }
    })
}

private let zstdMagic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

/// Decodes the stream with libzstd's own loop. Returns nil if libzstd refuses it.
private func byZstd(_ bytes: [UInt8]) -> [UInt8]? {
  guard let context = unsafe ZSTD_createDCtx() else { return nil }
  defer { _ = unsafe ZSTD_freeDCtx(context) }
  var content: [UInt8] = []
  var room = [UInt8](repeating: 0, count: 1 << 17)
  return unsafe bytes.withUnsafeBytes { source in
    var input = unsafe ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: 0)
    while true {
      let (result, count) = unsafe room.withUnsafeMutableBytes { target in
        var output = unsafe ZSTD_outBuffer(dst: target.baseAddress, size: target.count, pos: 0)
        let result = unsafe ZSTD_decompressStream(context, &output, &input)
        return unsafe (result, output.pos)
      }
      guard ZSTD_isError(result) == 0 else { return nil }
      content += room[..<count]
      // A frame that ends where the room does is whole: nothing is asked for again.
      let isWhole = result == 0
      if unsafe input.pos == input.size, isWhole || count < room.count {
        return isWhole ? content : nil
      }
    }
  }
}

/// Decodes all members with zlib's own reader of gzip. Returns nil if zlib refuses them. Zeros
/// behind a member are padding.
private func byZlib(_ bytes: [UInt8]) -> [UInt8]? {
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

extension DecodedStream {
  /// Decodes a stream up to a limit: a few bytes make very many.
  fileprivate init(_ bytes: [UInt8], piece: Int = .max, room: Int = 1 << 17) throws {
    try self.init(bytes, windowLimit: 1 << 20, room: room, limit: 1 << 20, piece: { piece })
  }
}
