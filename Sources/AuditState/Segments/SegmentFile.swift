internal import AuditEngine
internal import Basics
internal import Files
internal import OpenSSL

/// A segment that is open for reading: an immutable file of the rows that one run wrote, in their
/// order.
///
/// A file is blocks of ``SegmentBlock/byteCount`` bytes. The first one is the header: ``magic``, 8;
/// the version of the state, 4; and the row by which the database names the segment, without the
/// time at which it was made. The others have the rows: kept rows behind their lengths (4 bytes, in
/// the machine's order), across blocks; records of hashes and their prefixes without, none of them
/// in two blocks.
struct SegmentFile: Sendable {
  private static let magic = Array("ATSTSEG\n".utf8)

  let file: OpenFile
  let entry: SegmentEntry

  /// Opens a segment in `folder`, and reads its header. Throws `.damaged` for another file.
  init(_ entry: SegmentEntry, in folder: Folder) throws(StateError) {
    guard let file = try folder.open(entry.path) else {
      throw .damaged(entry.path, "it is not there")
    }
    guard try file.size() == entry.fileBytes else {
      throw .damaged(entry.path, "it is not as long as it was written")
    }
    self.file = file
    self.entry = entry
    let blocks = SegmentBlocks(self)
    defer { withExtendedLifetime(blocks) {} }
    guard unsafe try blocks.payload(of: 0).starts(with: Self.header(entry)) else {
      throw .damaged(entry.path, "its header is not what was written")
    }
  }

  static func header(_ entry: SegmentEntry) -> [UInt8] {
    var header = magic
    header += unsafe withUnsafeBytes(of: UInt32(StateFormat.version)) { unsafe Array($0) }
    var entry = entry
    // Segments of the same rows are the same bytes, whenever they are written.
    entry.created = 0
    return header + entry.packed
  }

  /// Reads a block into the front of `buffer`, and checks it, or throws `.damaged`.
  @discardableResult
  func read(
    _ block: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StateError) -> SegmentBlock.Sums {
    let bytes = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<SegmentBlock.byteCount])
    unsafe try file.fill(bytes, at: block * SegmentBlock.byteCount)
    let sums = unsafe SegmentBlock.sums(
      UnsafeRawBufferPointer(bytes), number: SegmentBlock.number(run: entry.run, block))
    guard
      unsafe bytes.loadUnaligned(
        fromByteOffset: SegmentBlock.payloadBytes, as: SegmentBlock.Sums.self) == sums
    else {
      throw .damaged(
        file.name, "the block at byte \(block * SegmentBlock.byteCount) is not what was written")
    }
    return sums
  }

  func verify() throws(StateError) {
    var digest = SHA256Stream()
    let blocks = SegmentBlocks(self)
    for block in entry.blocks {
      let sums = try blocks.load(block)
      unsafe withUnsafeBytes(of: sums) { unsafe digest.update($0) }
    }
    guard digest.digest() == entry.sha256 else {
      throw .damaged(file.name, "its blocks are not those that were written")
    }
  }
}

/// A block of a segment: a payload, and four sums of it. Nothing of a block is used before its sums
/// are right.
enum SegmentBlock {
  static let byteCount = 1 << 14
  /// A multiple of ``ByteSums/step``.
  static let payloadBytes = byteCount - MemoryLayout<Sums>.size

  typealias Sums = SIMD4<UInt64>

  /// Returns the number that distinguishes a block from any other: one in another place is damage, too.
  static func number(run: Int64, _ block: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: run) << 40 | UInt64(truncatingIfNeeded: block) & 0xFF_FFFF_FFFF
  }

  /// Writes the sums of a block behind its payload, and returns them.
  @discardableResult
  static func seal(_ block: UnsafeMutableRawBufferPointer, number: UInt64) -> Sums {
    let sums = unsafe sums(UnsafeRawBufferPointer(block), number: number)
    unsafe block.storeBytes(of: sums, toByteOffset: payloadBytes, as: Sums.self)
    return sums
  }

  /// Returns the ``ByteSums`` of the payload of a block, with its number as the seed.
  static func sums(_ block: UnsafeRawBufferPointer, number: UInt64) -> Sums {
    var sums = ByteSums(seed: number)
    unsafe sums.add(UnsafeRawBufferPointer(rebasing: block[..<payloadBytes]))
    return sums.sums
  }
}

/// The block of a segment that is at hand.
@safe final class SegmentBlocks {
  private let segment: SegmentFile
  private let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: SegmentBlock.byteCount, alignment: 64)
  private var block = -1

  init(_ segment: SegmentFile) {
    self.segment = segment
  }

  deinit {
    unsafe buffer.deallocate()
  }

  @discardableResult
  func load(_ block: Int) throws(StateError) -> SegmentBlock.Sums {
    self.block = -1
    let sums = unsafe try segment.read(block, into: buffer)
    self.block = block
    return sums
  }

  /// Returns the payload of a block, valid as long as this lives and until another block is asked for.
  func payload(of block: Int) throws(StateError) -> UnsafeRawBufferPointer {
    if self.block != block { try load(block) }
    return unsafe UnsafeRawBufferPointer(rebasing: buffer[..<segment.entry.payload(of: block)])
  }
}
