internal import Glibc

/// A fixed piece of memory that rows fill from the front and their index from the back.
///
/// Memory is taken from the system when it is first touched, and given back at once on `release`.
/// One owner at a time: a writer, a spiller or a merger.
@safe final class RowArena: @unchecked Sendable {
  /// Where a row lies, with the first 8 bytes of its key as a number that sorts as they do.
  struct Entry {
    var prefix: UInt64
    var offset: UInt32
    var length: UInt32
  }

  /// The capacity from which on huge pages are asked for.
  private static let hugePageLimit = 16 << 20

  private let base: UnsafeMutableRawPointer
  private let capacity: Int
  private let keyLength: Int
  private var used = 0
  /// The number of rows held.
  private(set) var count = 0

  /// Room for `capacity` bytes, index included, at most 4 GiB; rows begin with a key of
  /// `keyLength` bytes, at least 8.
  init(capacity: Int, keyLength: Int) {
    precondition(keyLength >= 8, "a key is at least 8 bytes")
    self.capacity = min(max(capacity, 1 << 16), Int(UInt32.max)) & ~15
    self.keyLength = keyLength
    let mapped = unsafe mmap(
      nil, self.capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
      0)
    guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else {
      preconditionFailure("out of address space for a row buffer")
    }
    unsafe base = mapped
    // Faults on small pages would cost more than the copying does; no matter where it fails.
    if self.capacity >= Self.hugePageLimit { unsafe madvise(mapped, self.capacity, MADV_HUGEPAGE) }
  }

  deinit {
    unsafe munmap(base, capacity)
  }

  /// Copies a row in; false where there is no room for it.
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

  /// Puts the index into the order of keys.
  func sort() {
    let base = unsafe UnsafeRawPointer(base)
    let rest = keyLength - 8
    var entries = unsafe entries
    unsafe entries.sort { left, right in
      if left.prefix != right.prefix { return left.prefix < right.prefix }
      return unsafe memcmp(
        base + Int(left.offset) + 8, base + Int(right.offset) + 8, rest) < 0
    }
  }

  /// The row at a place of the index.
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
    unsafe madvise(base, capacity, MADV_DONTNEED)
  }
}
