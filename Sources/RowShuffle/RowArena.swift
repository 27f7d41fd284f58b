internal import Glibc

/// A fixed piece of memory, small enough for a cache, that rows fill from the front and their index
/// from the back; used by its writer's thread. Without memory there is no room for any row.
@safe final class RowArena: @unchecked Sendable {
  /// The place of a row, with the first 8 bytes of its key as a number that sorts as they do.
  struct Entry {
    var prefix: UInt64
    var offset: UInt32
    var length: UInt32
  }

  private let memory: MappedMemory
  private let keyLength: Int
  private var used = 0
  private(set) var count = 0

  /// The least capacity, in bytes: more than the longest row.
  static let leastCapacity = 1 << 16

  /// Makes room for `capacity` bytes, index included, at most 4 GiB. Rows begin with a key of
  /// `keyLength` bytes, at least 8.
  init(capacity: Int, keyLength: Int) {
    precondition(keyLength >= 8, "a key is at least 8 bytes")
    self.keyLength = keyLength
    memory = MappedMemory(
      byteCount: min(max(capacity, Self.leastCapacity), Int(UInt32.max)) & ~15)
  }

  private var base: UnsafeMutableRawPointer { unsafe memory.base }
  private var capacity: Int { memory.byteCount }

  /// Copies a row in. Returns false if there is no room for it.
  func append(_ row: UnsafeRawBufferPointer) -> Bool {
    let index = (count + 1) * MemoryLayout<Entry>.stride
    guard used + row.count + index <= capacity else { return false }
    unsafe (base + used).copyMemory(from: row.baseAddress.unsafelyUnwrapped, byteCount: row.count)
    let prefix = unsafe row.loadUnaligned(as: UInt64.self).bigEndian
    unsafe (base + capacity - index).storeBytes(
      of: Entry(prefix: prefix, offset: UInt32(used), length: UInt32(row.count)), as: Entry.self)
    used += row.count
    count += 1
    return true
  }

  /// The index; in the order of keys after `sort`.
  private var entries: UnsafeMutableBufferPointer<Entry> {
    let start = unsafe base + capacity - count * MemoryLayout<Entry>.stride
    return unsafe UnsafeMutableBufferPointer(
      start: start.assumingMemoryBound(to: Entry.self), count: count)
  }

  // MARK: Sorting

  /// Bits of the key that the first pass sorts by.
  private static let bucketBits = 11
  /// The moves for each row up to which the second pass is cheaper than a general sort.
  private static let movesPerRow = 8

  /// Puts the index into the order of keys: a counting sort by the first bits in which the keys
  /// differ, then insertion, which has little left to do; a general sort where it has (Sedgewick,
  /// Implementing quicksort programs, 1978).
  func sort() {
    guard count > 1 else { return }
    let entries = unsafe entries
    let sorted = UnsafeMutableBufferPointer<Entry>.allocate(capacity: count)
    defer { unsafe sorted.deallocate() }
    unsafe distribute(entries, into: sorted)
    if !(unsafe insert(sorted)) {
      var rest = unsafe sorted
      unsafe rest.sort { precedes($0, $1) }
    }
    _ = unsafe entries.update(fromContentsOf: sorted)
  }

  /// Sorts by the first bits in which the prefixes differ; rows equal there stay in their order.
  private func distribute(
    _ entries: UnsafeMutableBufferPointer<Entry>, into sorted: UnsafeMutableBufferPointer<Entry>
  ) {
    var union: UInt64 = 0
    var common = UInt64.max
    for index in 0..<count {
      let prefix = unsafe entries[index].prefix
      union |= prefix
      common &= prefix
    }
    let differing = 64 - (union ^ common).leadingZeroBitCount
    let shift = UInt64(max(differing - Self.bucketBits, 0))
    let mask = UInt64(1 << Self.bucketBits) - 1
    unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: 1 << Self.bucketBits) { starts in
      unsafe starts.initialize(repeating: 0)
      for index in 0..<count {
        unsafe starts[Int(entries[index].prefix &>> shift & mask)] &+= 1
      }
      var start = 0
      for bucket in 0..<starts.count {
        let size = unsafe starts[bucket]
        unsafe starts[bucket] = start
        start &+= size
      }
      // The index grows downwards: its last entry came first.
      for index in stride(from: count - 1, through: 0, by: -1) {
        let entry = unsafe entries[index]
        let bucket = Int(entry.prefix &>> shift & mask)
        unsafe sorted.initializeElement(at: starts[bucket], to: entry)
        unsafe starts[bucket] &+= 1
      }
    }
  }

  /// Sorts by insertion; false, with all entries in some order, where that takes too long.
  private func insert(_ entries: UnsafeMutableBufferPointer<Entry>) -> Bool {
    var moves = Self.movesPerRow * count
    for index in 1..<count {
      let entry = unsafe entries[index]
      var place = index
      while place > 0, unsafe precedes(entry, entries[place &- 1]) {
        unsafe entries[place] = entries[place &- 1]
        place &-= 1
      }
      unsafe entries[place] = entry
      moves -= index - place
      if moves < 0 { return false }
    }
    return true
  }

  private func precedes(_ left: Entry, _ right: Entry) -> Bool {
    if left.prefix != right.prefix { return left.prefix < right.prefix }
    return unsafe memcmp(
      base + Int(left.offset) + 8, base + Int(right.offset) + 8, keyLength - 8) < 0
  }

  func row(_ index: Int) -> UnsafeRawBufferPointer {
    let entry = unsafe entries[index]
    return unsafe UnsafeRawBufferPointer(start: base + Int(entry.offset), count: Int(entry.length))
  }

  /// The bytes that the rows and their lengths take in a run.
  var runBytes: Int { used + count * RowRun.lengthBytes }

  /// Forgets the rows; their memory stays.
  func removeAll() {
    used = 0
    count = 0
  }

  /// Forgets the rows and gives their memory back.
  func release() {
    removeAll()
    memory.release()
  }
}
