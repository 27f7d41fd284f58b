/// Sorted runs in one fixed piece of memory, laid out as a ``RowRun`` is. One owner at a time: a
/// writer, a spiller, or mergers, which only read. Without memory there is no room for any.
@safe final class RowStore: @unchecked Sendable {
  private let memory: MappedMemory
  private var cuts: [RowCuts] = []

  /// Makes room for `capacity` bytes, of which few are used if it is sparse.
  init(capacity: Int, isSparse: Bool = false) {
    memory = MappedMemory(byteCount: capacity, isSparse: isSparse)
  }

  private var base: UnsafeMutableRawPointer { unsafe memory.base }

  var used: Int { cuts.last?.end ?? 0 }

  var runCount: Int { cuts.count }

  func run(_ index: Int, _ range: RowRange) -> UnsafeRawBufferPointer {
    let bytes = cuts[index].bytes(of: range)
    return unsafe UnsafeRawBufferPointer(start: base + bytes.lowerBound, count: bytes.count)
  }

  /// Returns the bytes that the rows of a range take in all runs.
  func size(of range: RowRange) -> Int {
    cuts.reduce(0) { $0 + $1.bytes(of: range).count }
  }

  /// Adds the rows of a sorted arena as a run. Returns false if there is no room for them.
  func append(_ arena: RowArena) -> Bool {
    let start = used
    guard arena.count > 0 else { return true }
    guard start + arena.runBytes <= memory.byteCount else { return false }
    var at = unsafe base + start
    var runCuts = RowCuts()
    for index in 0..<arena.count {
      let row = unsafe arena.row(index)
      unsafe runCuts.add(row, at: at - base)
      unsafe at.storeBytes(of: UInt32(row.count), as: UInt32.self)
      unsafe (at + RowRun.lengthBytes).copyMemory(
        from: row.baseAddress.unsafelyUnwrapped, byteCount: row.count)
      unsafe at += RowRun.lengthBytes + row.count
    }
    runCuts.end(at: start + arena.runBytes)
    cuts.append(runCuts)
    return true
  }

  /// Gives back the memory behind the last run, where rows were that have been spilled.
  func trim() { memory.release(from: used) }

  /// Forgets the runs; their memory stays.
  func removeAll() {
    cuts.removeAll(keepingCapacity: true)
  }

  /// Forgets the runs and gives their memory back.
  func release() {
    removeAll()
    memory.release()
  }
}
