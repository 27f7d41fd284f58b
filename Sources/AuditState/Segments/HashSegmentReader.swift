internal import AuditEngine
internal import Files
internal import Glibc

/// A reader of a segment of hashes along with ascending groups. It reads the prefixes from front to
/// back, and the records of those that are asked for.
@safe final class HashSegmentReader {
  /// The first bytes of a record, of the clientDataHash.
  static let prefixBytes = 16

  private let file: OpenFile
  private let run: Int64
  private let rows: Int
  private let prefixes: SegmentSection
  private let records: SegmentSection
  private let prefixBlock: UnsafeMutableRawBufferPointer
  private let recordBlock: UnsafeMutableRawBufferPointer
  /// The first prefix that is not smaller than what was asked for last.
  private var row = 0
  /// The block of prefixes at hand, the prefixes in it, and the place of `row` among them.
  private var blockIndex = -1
  private var blockRows = 0
  private var place = 0
  /// The first record that may still be asked for: at `row`, or behind it.
  private var record = 0
  private var recordBlockIndex = -1
  private var hasSought = false

  /// The first 8 bytes of the next prefix as a number that sorts as they do; all ones at the end.
  private(set) var head: UInt64 = .max
  private var tail: UInt64 = .max

  init(_ segment: SegmentFile) throws(StateError) {
    file = segment.file
    run = segment.header.run
    rows = Int(segment.header.rows)
    prefixes = segment.header.prefixes
    records = segment.header.body
    unsafe prefixBlock = .allocate(byteCount: prefixes.blockBytes, alignment: 64)
    unsafe recordBlock = .allocate(byteCount: records.blockBytes, alignment: 64)
    file.readsAhead()
    try settle()
  }

  deinit {
    unsafe prefixBlock.deallocate()
    unsafe recordBlock.deallocate()
  }

  /// Moves to the first prefix from (`head`, `tail`) on, ascending. Returns whether it is that one.
  func seek(head: UInt64, tail: UInt64) throws(StateError) -> Bool {
    if !hasSought {
      hasSought = true
      try skip(before: head)
    }
    while self.head < head || self.head == head && self.tail < tail {
      guard row < rows else { return false }
      var place = self.place
      let base = unsafe UnsafeRawPointer(prefixBlock.baseAddress.unsafelyUnwrapped)
      // Within the block nothing but the prefixes is examined.
      while place < blockRows {
        let at = unsafe base + place &* Self.prefixBytes
        let first = unsafe at.loadUnaligned(as: UInt64.self).bigEndian
        if first > head { break }
        if first == head,
          unsafe at.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian >= tail
        {
          break
        }
        place &+= 1
      }
      row += place - self.place
      self.place = place
      try settle()
    }
    return row < rows && self.head == head && self.tail == tail
  }

  /// Goes on to a block of prefixes that the first one from `head` on cannot come before: who asks
  /// for a part of all groups reads a part of the segment.
  private func skip(before head: UInt64) throws(StateError) {
    guard row < rows, self.head < head else { return }
    // Its first prefix is smaller.
    var front = 0
    // The first prefix of this block is not smaller, or the block is past the last.
    var back = prefixes.blockCount
    while back - front > 1 {
      let middle = (front + back) / 2
      unsafe try prefixes.read(middle, of: file, run: run, into: prefixBlock)
      let first = unsafe prefixBlock.loadUnaligned(as: UInt64.self).bigEndian
      if first < head { front = middle } else { back = middle }
    }
    blockIndex = front - 1
    row = front * (prefixes.payloadBytes / Self.prefixBytes)
    (place, blockRows) = (0, 0)
    try settle()
  }

  private func settle() throws(StateError) {
    guard row < rows else {
      head = .max
      tail = .max
      return
    }
    if place >= blockRows {
      blockIndex += 1
      unsafe try prefixes.read(blockIndex, of: file, run: run, into: prefixBlock)
      blockRows = prefixes.payload(of: blockIndex) / Self.prefixBytes
      place = 0
    }
    let offset = place * Self.prefixBytes
    head = unsafe prefixBlock.loadUnaligned(fromByteOffset: offset, as: UInt64.self).bigEndian
    tail = unsafe prefixBlock.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self).bigEndian
  }

  /// Returns the next record of `group`, whose prefix was sought, or nil if there are no more.
  /// Valid until the next call. No record is examined twice, however many begin alike.
  func next(of group: UnsafeRawBufferPointer) throws(StateError) -> UnsafeRawBufferPointer? {
    record = max(record, row)
    while record < rows {
      let perBlock = records.payloadBytes / KeptRecord.byteCount
      if record / perBlock != recordBlockIndex {
        recordBlockIndex = -1
        unsafe try records.read(record / perBlock, of: file, run: run, into: recordBlock)
        recordBlockIndex = record / perBlock
      }
      let start = record % perBlock * KeptRecord.byteCount
      let bytes = unsafe UnsafeRawBufferPointer(
        rebasing: recordBlock[start..<(start + KeptRecord.byteCount)])
      let order = unsafe memcmp(
        bytes.baseAddress.unsafelyUnwrapped, group.baseAddress.unsafelyUnwrapped,
        KeptRecord.groupLength)
      if order > 0 { return nil }
      record += 1
      if order == 0 { return unsafe bytes }
    }
    return nil
  }
}
