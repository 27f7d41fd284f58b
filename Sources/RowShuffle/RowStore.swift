/// Sorted runs in memory, one behind the other in one fixed piece; laid out as a ``RowRun`` is. Without
/// memory there is no room for any.
///
/// One owner at a time: a writer, a spiller or a merger.
@safe final class RowStore: @unchecked Sendable {
  /// The capacity from which on huge pages are asked for.
  private static let hugePageLimit = 16 << 20

  private let memory: MappedMemory
  /// Where each run ends.
  private var ends: [Int] = []

  /// Room for `capacity` bytes.
  init(capacity: Int) {
    memory = MappedMemory(byteCount: capacity)
    // Faults on small pages would cost more than the copying does.
    if capacity >= Self.hugePageLimit { memory.preferHugePages() }
  }

  private var base: UnsafeMutableRawPointer { unsafe memory.base }

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
    guard start + arena.runBytes <= memory.byteCount else { return false }
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

  /// Gives back the memory behind the last run, of which huge pages may have taken more than was used.
  func trim() { memory.release(from: used) }

  /// Forgets the runs; their memory stays.
  func removeAll() {
    ends.removeAll(keepingCapacity: true)
  }

  /// Forgets the runs and gives their memory back.
  func release() {
    removeAll()
    memory.release()
  }
}
