/// The header of a zstd frame (RFC 8878 3.1.1.1).
struct ZstdFrameHeader: Equatable {
  /// The bytes that tell ``byteCount(descriptor:)``: magic number and descriptor.
  static let smallestByteCount = 5
  /// Block_Maximum_Size is never more (RFC 8878 3.1.1.2.4).
  static let largestBlock = 128 << 10

  /// The size of the header, with the magic number.
  var byteCount = 0
  /// The window that decoding needs, in bytes; the content's size for a single segment.
  var windowSize: UInt64 = 0
  /// The bytes that the frame gives, or nil if the header does not say.
  var contentSize: UInt64?
  /// The dictionary's number, or 0 if none is named.
  var dictionaryID: UInt32 = 0
  /// Whether four bytes of checksum follow the last block.
  var hasChecksum = false

  /// The most bytes that one block may hold or give.
  var blockLimit: Int { Int(min(windowSize, UInt64(Self.largestBlock))) }

  /// Returns the size of the header with this descriptor, or nil if its reserved bit is set.
  static func byteCount(descriptor: UInt8) -> Int? {
    guard descriptor & 0x08 == 0 else { return nil }
    let window = descriptor & 0x20 == 0 ? 1 : 0
    return smallestByteCount + window + dictionaryIDByteCount(descriptor)
      + contentSizeByteCount(descriptor)
  }

  init() {}

  /// Reads the header at the input's cursor, which is available and has no reserved bit.
  init(_ input: InputWindow) {
    let descriptor = input[4]
    let isSingleSegment = descriptor & 0x20 != 0
    var index = Self.smallestByteCount
    var window: UInt64 = 0
    if !isSingleSegment {
      let base: UInt64 = 1 << (10 + UInt64(input[index] >> 3))
      window = base + base / 8 * UInt64(input[index] & 7)
      index += 1
    }
    let dictionaryBytes = Self.dictionaryIDByteCount(descriptor)
    dictionaryID = UInt32(truncatingIfNeeded: input.number(at: index, count: dictionaryBytes))
    index += dictionaryBytes
    let sizeBytes = Self.contentSizeByteCount(descriptor)
    if sizeBytes > 0 {
      // Two bytes count from 256 on.
      let size = input.number(at: index, count: sizeBytes) &+ (sizeBytes == 2 ? 256 : 0)
      contentSize = size
      if isSingleSegment { window = size }
    }
    byteCount = index + sizeBytes
    windowSize = window
    hasChecksum = descriptor & 0x04 != 0
  }

  private static func dictionaryIDByteCount(_ descriptor: UInt8) -> Int {
    [0, 1, 2, 4][Int(descriptor & 3)]
  }

  private static func contentSizeByteCount(_ descriptor: UInt8) -> Int {
    switch descriptor >> 6 {
    case 0: descriptor & 0x20 == 0 ? 0 : 1
    case 1: 2
    case 2: 4
    default: 8
    }
  }
}

/// The header of a block (RFC 8878 3.1.1.2).
struct ZstdBlockHeader: Equatable {
  static let byteCount = 3

  var isLast: Bool
  var isRaw: Bool
  var contentByteCount: Int

  /// Makes the header in three bytes, little-endian, or nil for another type or size.
  init?(_ word: UInt64, limit: Int) {
    let type = word >> 1 & 3
    let size = Int(word >> 3 & 0x1F_FFFF)
    guard type != 3, size <= limit else { return nil }
    // A compressed block contains at least its two section headers.
    guard type != 2 || size >= 2 else { return nil }
    isLast = word & 1 != 0
    isRaw = type == 0
    contentByteCount = type == 1 ? 1 : size
  }

  var byteCount: Int { Self.byteCount + contentByteCount }
}
