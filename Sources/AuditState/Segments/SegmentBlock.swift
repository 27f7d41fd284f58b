internal import AppAttest

/// A block of a segment: a payload, which block it is of which run's segment (8 bytes), and a
/// checksum of both (the first 8 bytes of their SHA-256). Nothing of a block is used before its
/// checksum held.
enum SegmentBlock {
  /// Bytes behind the payload.
  static let trailerBytes = 16
  private static let checksumBytes = 8

  /// Returns what tells a block from any other: a block that lies where another should is damage,
  /// too.
  static func number(run: Int64, index: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: run) << 40 | UInt64(truncatingIfNeeded: index) & 0xFF_FFFF_FFFF
  }

  /// Writes the trailer of a block whose payload is complete, and returns its checksum.
  @discardableResult
  static func seal(_ block: UnsafeMutableRawBufferPointer, number: UInt64) -> UInt64 {
    unsafe block.storeBytes(
      of: number.littleEndian, toByteOffset: block.count - trailerBytes, as: UInt64.self)
    let checksum = unsafe checksum(UnsafeRawBufferPointer(block))
    unsafe block.storeBytes(
      of: checksum.littleEndian, toByteOffset: block.count - checksumBytes, as: UInt64.self)
    return checksum
  }

  /// Returns the checksum of a block, or nil if the block is not what it should be.
  static func verify(_ block: UnsafeRawBufferPointer, number: UInt64) -> UInt64? {
    let held = unsafe block.loadUnaligned(
      fromByteOffset: block.count - trailerBytes, as: UInt64.self)
    let stored = unsafe block.loadUnaligned(
      fromByteOffset: block.count - checksumBytes, as: UInt64.self)
    guard UInt64(littleEndian: held) == number else { return nil }
    let checksum = unsafe checksum(block)
    return UInt64(littleEndian: stored) == checksum ? checksum : nil
  }

  private static func checksum(_ block: UnsafeRawBufferPointer) -> UInt64 {
    let covered = unsafe UnsafeRawBufferPointer(rebasing: block.dropLast(checksumBytes))
    return unsafe Checksum.first8(
      Span(_unsafeElements: covered.assumingMemoryBound(to: UInt8.self)))
  }
}

/// The place of a section of equal blocks in a segment, and its contents.
struct SegmentSection: Equatable, Sendable {
  /// Bytes of a block: a power of two.
  var blockBytes: Int
  /// Bytes of payload in a full block, at most what the trailer leaves.
  var payloadBytes: Int
  /// Bytes of payload in all blocks together; the last one is filled up with zeros.
  var totalBytes: Int
  /// The offset in the file at which it begins.
  var offset: Int
  /// The number of its first block in the segment.
  var firstBlock: Int

  var blockCount: Int { (totalBytes + payloadBytes - 1) / payloadBytes }
  /// The offset in the file at which it ends.
  var end: Int { offset + blockCount * blockBytes }

  /// Returns the bytes of payload in a block.
  func payload(of index: Int) -> Int { min(payloadBytes, totalBytes - index * payloadBytes) }

  /// Reads a block into `buffer`, which is as large, and checks it: its checksum.
  ///
  /// - Throws: `.damaged`.
  @discardableResult
  func read(
    _ index: Int, of file: StateFile, run: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StateError) -> UInt64 {
    unsafe try file.read(into: buffer, at: offset + index * blockBytes)
    let number = SegmentBlock.number(run: run, index: firstBlock + index)
    guard let checksum = unsafe SegmentBlock.verify(UnsafeRawBufferPointer(buffer), number: number)
    else {
      throw .damaged(
        file.name,
        "the block at byte \(offset + index * blockBytes) is not what was written")
    }
    return checksum
  }
}
