internal import AuditEngine
internal import Glibc

/// A reader of a segment of hashes along with ascending groups. It reads the prefixes from front to
/// back, and the records of those that are asked for.
@safe final class HashSegmentReader {
  /// The first bytes of a record, of the clientDataHash.
  static let prefixBytes = 16

  private static let perBlock = SegmentKind.prefixes.payloadBytes / prefixBytes
  private static let recordsPerBlock = SegmentKind.hashes.payloadBytes / KeptRecord.byteCount

  private let rows: Int
  private let lastBlock: Int
  private let prefixes: SegmentBlocks
  private let records: SegmentBlocks
  /// The first prefix that is not smaller than what was asked for last.
  private var row = 0
  /// The block of prefixes at hand, its number, and the place of `row` in it.
  private var payload = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
  private var block = 0
  private var place = 0
  /// The first record that may still be asked for: at `row`, or behind it.
  private var record = 0
  private var hasSought = false

  /// The first 8 bytes of the next prefix as a number that sorts as they do; all ones at the end.
  private(set) var head: UInt64 = .max
  private var tail: UInt64 = .max

  init(_ segment: HashSegment) throws(StateError) {
    rows = Int(segment.prefixes.entry.rows)
    lastBlock = segment.prefixes.entry.blocks.upperBound - 1
    prefixes = SegmentBlocks(segment.prefixes)
    records = SegmentBlocks(segment.records)
    segment.prefixes.file.readsAhead()
    try settle()
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
      let base = unsafe payload.baseAddress.unsafelyUnwrapped
      // Within the block nothing but the prefixes is examined.
      while unsafe place < payload.count {
        let at = unsafe base + place
        let first = unsafe at.loadUnaligned(as: UInt64.self).bigEndian
        if first > head { break }
        if first == head,
          unsafe at.loadUnaligned(fromByteOffset: 8, as: UInt64.self).bigEndian >= tail
        {
          break
        }
        place &+= Self.prefixBytes
      }
      row += (place - self.place) / Self.prefixBytes
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
    var front = 1
    // The first prefix of this block is not smaller, or the block is past the last.
    var back = lastBlock + 1
    while back - front > 1 {
      let middle = (front + back) / 2
      let first = unsafe try prefixes.payload(of: middle).loadUnaligned(as: UInt64.self).bigEndian
      if first < head { front = middle } else { back = middle }
    }
    block = front - 1
    row = block * Self.perBlock
    unsafe payload = UnsafeRawBufferPointer(start: nil, count: 0)
    place = 0
    try settle()
  }

  private func settle() throws(StateError) {
    guard row < rows else {
      head = .max
      tail = .max
      return
    }
    if unsafe place >= payload.count {
      block += 1
      unsafe payload = try prefixes.payload(of: block)
      place = 0
    }
    head = unsafe payload.loadUnaligned(fromByteOffset: place, as: UInt64.self).bigEndian
    tail = unsafe payload.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self).bigEndian
  }

  /// Returns the next record of `group`, whose prefix was sought, or nil if there are no more.
  /// Valid until the next call. No record is examined twice, however many begin alike.
  func next(of group: UnsafeRawBufferPointer) throws(StateError) -> UnsafeRawBufferPointer? {
    record = max(record, row)
    while record < rows {
      let start = record % Self.recordsPerBlock * KeptRecord.byteCount
      let block = unsafe try records.payload(of: 1 + record / Self.recordsPerBlock)
      let bytes = unsafe UnsafeRawBufferPointer(
        rebasing: block[start..<(start + KeptRecord.byteCount)])
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
