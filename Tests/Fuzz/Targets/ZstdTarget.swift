import CZstd
import TestSupport

/// A zstd stream, whole or damaged: what comes out does not depend on the pieces it is read in, and
/// without damage is what libzstd alone makes of it.
struct ZstdTarget: FuzzTarget {
  static let name = "zstd"
  static let limit = 16_384

  private static let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

  static func seeds() throws -> [[UInt8]] {
    let day = SyntheticDay.shared
    let texts = [day.log(0..<2), day.log(2..<5), Array("a\n".utf8)]
    // A header that says more than the frame has, which ends in an empty block.
    let short = magic + [0x24, 203, 1, 0, 0, 0x99, 0xE9, 0xD8, 0x51]
    // 131,072 times the same byte, and then none: the frame ends where a usual room does.
    let full = magic + [0, 0x38, 2, 0, 0x10, 0x0A, 3, 0, 0, 0x21]
    return [
      short, full, try Packed.zstd(frames: texts), try Packed.zstd(frames: texts, checksum: false),
      try Packed.zstd(texts[0], windowLog: 10), Packed.bomb(0x0A, count: 300_000),
      try Packed.zstd([]),
      try [0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3] + Packed.zstd(texts[2]),
    ]
  }

  func run(_ bytes: [UInt8]) throws {
    // Anything else is another format.
    let bytes = bytes.first == 0x50 ? bytes : Self.magic + bytes.dropFirst(4)
    let read = try DecodedStream(bytes, piece: .max, room: 1 << 17)
    let pieces = try DecodedStream(bytes, piece: 1 + bytes.count % 61, room: 997)
    require(read == pieces, "\(read.damages) in one piece, \(pieces.damages) in several")
    guard read.isWhole, read.damages.isEmpty, bytes.starts(with: Self.magic) else { return }
    require(plain(bytes) == read.content, "libzstd reads something else")
  }

  /// Decodes the stream with libzstd's own loop. Returns nil if libzstd refuses it.
  private func plain(_ bytes: [UInt8]) -> [UInt8]? {
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
}
