internal import AuditLog
internal import Glibc
internal import OpenSSL

/// A check of a whole segment: it reads every block, and finds out whether the blocks are the ones
/// that were written.
enum SegmentCheck {
  /// Throws where anything of a segment is not what was written.
  static func check(_ entry: SegmentEntry, in folder: StateFolder) throws(StateError) {
    let segment = try SegmentFile(entry, in: folder)
    switch entry.kind {
    case .hashes: try checkHashes(segment)
    case .events: try checkEvents(segment)
    }
  }

  /// Checks that records ascend, and that the prefixes are theirs.
  private static func checkHashes(_ segment: SegmentFile) throws(StateError) {
    var digest = SHA256Stream()
    var ofRecords = SHA256Stream()
    var ofPrefixes = SHA256Stream()
    var last = [UInt8](repeating: 0, count: HashSegment.groupBytes)
    unsafe try forEachBlock(segment, segment.header.body, &digest) { payload throws(StateError) in
      for start in stride(from: 0, to: payload.count, by: HashSegment.recordBytes) {
        let group = unsafe UnsafeRawBufferPointer(
          rebasing: payload[start..<(start + HashSegment.groupBytes)])
        let order = unsafe last.withUnsafeBytes {
          unsafe memcmp(
            $0.baseAddress.unsafelyUnwrapped, group.baseAddress.unsafelyUnwrapped, group.count)
        }
        guard order <= 0 else {
          throw StateError.damaged(segment.file.name, "its records are not in order")
        }
        unsafe last.withUnsafeMutableBytes { unsafe $0.copyMemory(from: group) }
        unsafe ofRecords.update(.init(rebasing: group.prefix(HashSegment.prefixBytes)))
      }
    }
    unsafe try forEachBlock(segment, segment.header.prefixes, &digest) { payload in
      unsafe ofPrefixes.update(payload)
    }
    guard ofRecords.digest() == ofPrefixes.digest() else {
      throw .damaged(segment.file.name, "its prefixes are not those of its records")
    }
    try checkDigest(segment, digest.digest())
  }

  /// Checks that rows have the lengths that come before them, and that they are as many as there
  /// should be.
  private static func checkEvents(_ segment: SegmentFile) throws(StateError) {
    var digest = SHA256Stream()
    var rows: UInt64 = 0
    var pieces = RowPieces()
    unsafe try forEachBlock(segment, segment.header.body, &digest) { payload throws(StateError) in
      unsafe pieces.add(payload)
      repeat {
        guard pieces.nextLength ?? 0 <= EventSegmentWriter.maximumRowBytes else {
          throw StateError.damaged(segment.file.name, "a row is longer than any can be")
        }
        guard pieces.next() != nil else { break }
        rows += 1
      } while true
    }
    guard pieces.isAtEnd, rows == segment.header.rows else {
      throw .damaged(segment.file.name, "it does not contain as many rows as were written")
    }
    try checkDigest(segment, digest.digest())
  }

  private static func checkDigest(
    _ segment: SegmentFile, _ digest: [UInt8]
  ) throws(StateError) {
    guard digest == segment.header.digest else {
      throw .damaged(segment.file.name, "its blocks are not those that were written")
    }
  }

  private static func forEachBlock(
    _ segment: SegmentFile, _ section: SegmentSection, _ digest: inout SHA256Stream,
    _ body: (UnsafeRawBufferPointer) throws(StateError) -> Void
  ) throws(StateError) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: section.blockBytes, alignment: 64)
    defer { unsafe buffer.deallocate() }
    for index in 0..<section.blockCount {
      let checksum = unsafe try section.read(
        index, of: segment.file, run: segment.header.run, into: buffer)
      unsafe withUnsafeBytes(of: checksum.littleEndian) { unsafe digest.update($0) }
      unsafe try body(
        UnsafeRawBufferPointer(rebasing: buffer.prefix(section.payload(of: index))))
    }
  }
}
