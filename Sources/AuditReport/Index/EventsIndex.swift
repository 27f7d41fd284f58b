internal import AppAttest

/// The file `events.index`: the places in `events.csv.zst` of the events of a key, a hash, a
/// subject, a request or a device.
///
/// A magic line, the filters of all blocks, then an entry for each block, then a footer. All numbers
/// are little-endian.
enum EventsIndex {
  static let name = "events.index"
  static let magic = Array("attest-audit events index 2\n".utf8)
  /// The size of the footer in bytes: the offset of the first entry, and the number of entries.
  static let footerBytes = 16

  /// One frame of `events.csv.zst`.
  struct Block: Equatable {
    static let byteCount = 4 * 8 + 2 * Digest256.byteCount

    /// The offset of the frame in `events.csv.zst`, and its length there.
    var offset: UInt64
    var size: UInt64
    /// The offset of the filter's words in the index, and their number.
    var filterOffset: UInt64
    var filterWords: UInt64
    /// The first and the last key in the block. Zeroes stand for no key.
    var firstKey: Digest256
    var lastKey: Digest256

    func write(to rows: inout RowBuffer) {
      for number in [offset, size, filterOffset, filterWords] { rows.append(littleEndian: number) }
      for key in [firstKey, lastKey] {
        for byte in key.bytes { rows.append(byte) }
      }
    }

    /// Reads an entry, or nil if there are too few bytes.
    init?(_ bytes: ArraySlice<UInt8>) {
      guard bytes.count == Self.byteCount,
        let first = Digest256(Array(bytes.dropFirst(32).prefix(32))),
        let last = Digest256(Array(bytes.dropFirst(64)))
      else { return nil }
      offset = bytes.littleEndian(at: 0)
      size = bytes.littleEndian(at: 8)
      filterOffset = bytes.littleEndian(at: 16)
      filterWords = bytes.littleEndian(at: 24)
      firstKey = first
      lastKey = last
    }

    init(
      offset: UInt64, size: UInt64, filterOffset: UInt64, filterWords: UInt64,
      firstKey: Digest256, lastKey: Digest256
    ) {
      self.offset = offset
      self.size = size
      self.filterOffset = filterOffset
      self.filterWords = filterWords
      self.firstKey = firstKey
      self.lastKey = lastKey
    }
  }
}

extension RowBuffer {
  mutating func append(littleEndian number: UInt64) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }
}

extension ArraySlice<UInt8> {
  /// Returns the number at an offset. Eight bytes must follow it.
  func littleEndian(at offset: Int) -> UInt64 {
    self[(startIndex + offset)..<(startIndex + offset + 8)].reversed()
      .reduce(0) { $0 << 8 | UInt64($1) }
  }
}
