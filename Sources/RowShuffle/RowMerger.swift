internal import CLinux
package import Files
internal import Glibc

/// The order of rows where it is not that of the bytes of their keys.
@safe package struct RowOrder {
  /// Returns whether a row comes before another one, whose key begins with the same 8 bytes.
  fileprivate let precedes: (UnsafeRawPointer, UnsafeRawPointer) -> Bool

  package init(_ precedes: @escaping (UnsafeRawPointer, UnsafeRawPointer) -> Bool) {
    unsafe self.precedes = precedes
  }
}

/// Rows from sorted runs in one order: a tree of losers (Knuth, volume 3, 5.4.1).
@safe package final class RowMerger {
  /// The first row not yet taken of one run, and the bytes behind it that are at hand.
  @safe private struct Cursor {
    /// The first 8 bytes of the row's key as a number that sorts as they do.
    var prefix: UInt64 = .max
    /// The row, or nil at the end of the run.
    var row: UnsafeRawPointer?
    var length = 0
    var next: UnsafeRawPointer
    var end: UnsafeRawPointer

    init(_ bytes: UnsafeRawBufferPointer) {
      unsafe next = bytes.baseAddress.unsafelyUnwrapped
      unsafe end = next + bytes.count
    }
  }

  private let keyLength: Int
  /// The order of rows, or nil if it is that of the bytes of the keys.
  private let order: RowOrder?
  /// The runs in memory: the first of the cursors are theirs.
  private let held: [(store: RowStore, index: Int)]
  /// The spilled runs, which come behind them.
  private let spilled: [RowRunReader]
  /// The source of the rest of each cursor's run, and its buffer, or nil for runs in memory.
  private let readers: [(source: any RowRunSource, buffer: UnsafeMutableRawBufferPointer)?]
  private let cursors: UnsafeMutablePointer<Cursor>
  /// The winner, and at each inner node from 1 on the loser of the match there.
  private let tree: UnsafeMutablePointer<Int>
  private let count: Int
  private var hasStarted = false
  /// The run that comes next after the winner's, or `nobody` if that is not known. It is sought when
  /// a run has won twice: rows that were added nearly in order come from one run for long.
  private var second = RowMerger.nobody

  /// Merges runs that are read from elsewhere, and are sorted by `order`.
  package convenience init(
    _ sources: [any RowRunSource], keyLength: Int, order: RowOrder? = nil
  ) throws(AuditError) {
    try self.init(
      [], sources: sources, keyLength: keyLength, memory: 0, order: order, range: .all)
  }

  /// Merges the rows of a range of all runs of all `parts`, of which spilled ones are read through
  /// `memory` bytes together, and all those of `sources`.
  init(
    _ parts: [SortedRows], sources: [any RowRunSource] = [], keyLength: Int, memory: Int,
    order: RowOrder? = nil, range: RowRange = .all
  ) throws(AuditError) {
    self.keyLength = keyLength
    self.order = order
    held = parts.flatMap(\.stores).flatMap { store in
      (0..<store.runCount).map { (store, $0) }
    }
    let runs = parts.reduce(0) { $0 + $1.runs.count }
    let share = min(memory / max(runs, 1), RowRunReader.mostBufferBytes)
    spilled = parts.flatMap { part in
      part.runs.map {
        RowRunReader($0, bufferBytes: share, isReadOnce: part.isReadOnce)
      }
    }
    unsafe readers =
      held.map { _ in nil }
      + (spilled + sources).map { source in
        (source, .allocate(byteCount: source.bufferBytes, alignment: 64))
      }
    count = unsafe readers.count
    unsafe cursors = .allocate(capacity: max(count, 1))
    unsafe tree = .allocate(capacity: max(count, 1))
    try start(range)
  }

  /// Goes to the front of another range. Rows that are read from elsewhere are one range.
  package func move(to range: RowRange) throws(AuditError) {
    unsafe precondition(readers.count == held.count + spilled.count, "an inlet is read once")
    try start(range)
  }

  private func start(_ range: RowRange) throws(AuditError) {
    hasStarted = false
    second = Self.nobody
    for reader in spilled { reader.move(to: range) }
    for index in 0..<count {
      let bytes =
        unsafe readers[index].map { unsafe UnsafeRawBufferPointer(rebasing: $0.buffer[..<0]) }
        ?? held[index].store.run(held[index].index, range)
      unsafe (cursors + index).initialize(to: Cursor(bytes))
      unsafe tree[index] = Self.nobody
    }
    for index in stride(from: count - 1, through: 0, by: -1) {
      try advance(index)
      play(index)
    }
  }

  deinit {
    for index in 0..<count { unsafe readers[index]?.buffer.deallocate() }
    unsafe cursors.deallocate()
    unsafe tree.deallocate()
  }

  /// Whether the row returned last is in memory, where it stays until its sorter is released.
  package var stays: Bool { unsafe tree[0] < held.count }

  /// Returns the next row in order, valid until the next call, or nil at the end.
  package func next() throws(AuditError) -> UnsafeRawBufferPointer? {
    guard count > 0 else { return nil }
    if hasStarted {
      let last = unsafe tree[0]
      try advance(last)
      if second == Self.nobody || precedes(second, last) {
        play(last)
        second = unsafe tree[0] == last ? best(against: last) : Self.nobody
      }
    }
    hasStarted = true
    let winner = unsafe cursors + tree[0]
    guard let row = unsafe winner.pointee.row else { return nil }
    return unsafe UnsafeRawBufferPointer(start: row, count: winner.pointee.length)
  }

  private func advance(_ index: Int) throws(AuditError) {
    let cursor = unsafe cursors + index
    let length = unsafe Self.nextLength(cursor.pointee)
    if length < 0 {
      guard unsafe try refill(index, &cursor.pointee) else { return }
    }
    let row = unsafe cursor.pointee.next + RowRun.lengthBytes
    unsafe cursor.pointee.length = Self.nextLength(cursor.pointee)
    guard unsafe cursor.pointee.length >= keyLength else {
      throw AuditError(.inconsistent, "a sorted run holds a row that is shorter than its key")
    }
    unsafe cursor.pointee.row = row
    unsafe cursor.pointee.prefix = row.loadUnaligned(as: UInt64.self).bigEndian
    unsafe cursor.pointee.next = row + cursor.pointee.length
    // The row behind it is far from the processor: it is fetched while others come first.
    for line in 0..<4 { unsafe attest_prefetch(cursor.pointee.next + 64 * line) }
  }

  /// Returns the length of the row that follows; negative where it is not at hand as a whole.
  private static func nextLength(_ cursor: Cursor) -> Int {
    let held = unsafe cursor.end - cursor.next
    guard held >= RowRun.lengthBytes else { return -1 }
    let length = unsafe Int(cursor.next.loadUnaligned(as: UInt32.self))
    return held - RowRun.lengthBytes >= length ? length : -1
  }

  /// Brings at least the next row to hand; false, with the cursor at its end, after the last.
  private func refill(_ index: Int, _ cursor: inout Cursor) throws(AuditError) -> Bool {
    let held = unsafe UnsafeRawBufferPointer(start: cursor.next, count: cursor.end - cursor.next)
    var end = held.count
    if let (source, buffer) = unsafe readers[index] {
      unsafe buffer.copyMemory(from: held)
      end += unsafe try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[end...]))
      unsafe cursor.next = UnsafeRawPointer(buffer.baseAddress.unsafelyUnwrapped)
      unsafe cursor.end = cursor.next + end
    }
    guard end > 0 else {
      unsafe cursor.row = nil
      cursor.prefix = .max
      return false
    }
    guard Self.nextLength(cursor) >= 0 else {
      throw AuditError(.inconsistent, "a sorted run is not what was written")
    }
    return true
  }

  // MARK: The tree

  /// The index that stands where no run has played yet. It wins against all.
  private static let nobody = -1

  private func play(_ index: Int) {
    var winner = index
    var node = (index + count) / 2
    while node > 0 {
      let other = unsafe tree[node]
      if other == Self.nobody || (winner != Self.nobody && precedes(other, winner)) {
        unsafe tree[node] = winner
        winner = other
      }
      node /= 2
    }
    unsafe tree[0] = winner
  }

  /// Returns the first of the runs that the winner has beaten, or `nobody` if there is no other.
  private func best(against winner: Int) -> Int {
    var best = Self.nobody
    var node = (winner + count) / 2
    while node > 0 {
      let other = unsafe tree[node]
      if best == Self.nobody || precedes(other, best) { best = other }
      node /= 2
    }
    return best
  }

  @inline(__always)
  private func precedes(_ left: Int, _ right: Int) -> Bool {
    let a = unsafe cursors[left].prefix
    let b = unsafe cursors[right].prefix
    if a != b { return a < b }
    guard let first = unsafe cursors[left].row else { return false }
    guard let second = unsafe cursors[right].row else { return true }
    if let order { return unsafe order.precedes(first, second) }
    return unsafe memcmp(first + 8, second + 8, keyLength - 8) < 0
  }
}
