internal import Glibc

/// Sorted runs in memory, one behind the other in one fixed piece; laid out as a ``RowRun`` is.
///
/// Memory is taken from the system when it is first touched, and given back at once on `release`.
/// One owner at a time: a writer, a spiller or a merger.
@safe final class RowStore: @unchecked Sendable {
  /// The capacity from which on huge pages are asked for.
  private static let hugePageLimit = 16 << 20

  private let base: UnsafeMutableRawPointer
  private let capacity: Int
  /// Where each run ends.
  private var ends: [Int] = []

  /// Room for `capacity` bytes.
  init(capacity: Int) {
    self.capacity = capacity
    let mapped = unsafe mmap(
      nil, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    guard let mapped = unsafe mapped, unsafe mapped != MAP_FAILED else {
      preconditionFailure("out of address space for sorted rows")
    }
    unsafe base = mapped
    // Faults on small pages would cost more than the copying does; no matter where it fails.
    if capacity >= Self.hugePageLimit { unsafe madvise(mapped, capacity, MADV_HUGEPAGE) }
  }

  deinit {
    unsafe munmap(base, capacity)
  }

  /// Bytes held.
  var used: Int { ends.last ?? 0 }

  /// The runs held, each sorted.
  var runs: [UnsafeRawBufferPointer] {
    var start = 0
    return unsafe ends.map { end in
      defer { start = end }
      return unsafe UnsafeRawBufferPointer(start: base + start, count: end - start)
    }
  }

  /// Adds the rows of a sorted arena as a run; false where there is no room for them.
  func append(_ arena: RowArena) -> Bool {
    let start = used
    guard arena.count > 0 else { return true }
    guard start + arena.runBytes <= capacity else { return false }
    var at = unsafe base + start
    for index in 0..<arena.count {
      let row = unsafe arena.row(index)
      unsafe at.storeBytes(of: UInt32(row.count), as: UInt32.self)
      unsafe (at + RowRun.lengthBytes).copyMemory(
        from: row.baseAddress.unsafelyUnwrapped, byteCount: row.count)
      unsafe at += RowRun.lengthBytes + row.count
    }
    ends.append(start + arena.runBytes)
    return true
  }

  /// Forgets the runs; their memory stays.
  func removeAll() {
    ends.removeAll(keepingCapacity: true)
  }

  /// Forgets the runs and gives their memory back.
  func release() {
    removeAll()
    unsafe madvise(base, capacity, MADV_DONTNEED)
  }
}
