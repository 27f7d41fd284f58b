package enum StreamFormat: Sendable, Equatable {
  case plain
  /// Zstandard frames (RFC 8878).
  case zstd
  /// gzip members (RFC 1952).
  case gzip

  /// The command for people that decompresses to standard output, or nil if none is needed.
  package var command: String? {
    switch self {
    case .plain: nil
    case .zstd: "zstd -dc"
    case .gzip: "gzip -dc"
    }
  }

  /// Makes a decoder, or nil if there is nothing to decode.
  func makeDecoder(_ input: InputWindow, windowLimit: UInt64) throws -> (any FrameDecoder)? {
    switch self {
    case .plain: nil
    case .zstd: try ZstdDecoder(input: input, windowLimit: windowLimit)
    case .gzip: try GzipDecoder(input: input)
    }
  }

  /// The number of leading bytes that ``detect(_:)`` examines.
  package static let headByteCount = 4

  /// Returns the format that the first ``headByteCount`` bytes, or those of a cut frame, show.
  package static func detect(_ head: Span<UInt8>) -> StreamFormat {
    if head.count >= 2, head[0] == GzipMagic.first, head[1] == GzipMagic.second { return .gzip }
    if head.count >= headByteCount {
      let word = ZstdMagic.word(head)
      return ZstdMagic.isFrame(word) || ZstdMagic.isSkippable(word) ? .zstd : .plain
    }
    return head.count >= 2 && ZstdMagic.isCut(head) ? .zstd : .plain
  }
}

/// The first bytes of a gzip member (RFC 1952 2.3.1).
enum GzipMagic {
  static let first: UInt8 = 0x1F
  static let second: UInt8 = 0x8B
  /// CM: deflate, the only method there is.
  static let deflate: UInt8 = 8
}

/// The magic numbers of zstd, read little-endian (RFC 8878 3.1.1, 3.1.2).
enum ZstdMagic {
  static let frame: UInt32 = 0xFD2F_B528
  static let skippable: UInt32 = 0x184D_2A50
  static let skippableMask: UInt32 = 0xFFFF_FFF0
  static let byteCount = 4

  static func isFrame(_ word: UInt32) -> Bool { word == frame }

  static func isSkippable(_ word: UInt32) -> Bool { word & skippableMask == skippable }

  /// Returns the first four of `bytes`, which contains at least four, read little-endian.
  static func word(_ bytes: Span<UInt8>) -> UInt32 {
    UInt32(bytes[0]) | UInt32(bytes[1]) << 8 | UInt32(bytes[2]) << 16 | UInt32(bytes[3]) << 24
  }

  /// Returns whether fewer than four bytes are the beginning of a magic number.
  static func isCut(_ bytes: Span<UInt8>, _ magic: UInt32 = frame, mask: UInt32 = .max) -> Bool {
    bytes.indices.allSatisfy { index in
      (UInt32(bytes[index]) << UInt32(8 * index) ^ magic) & mask & 0xFF << UInt32(8 * index) == 0
    }
  }
}
