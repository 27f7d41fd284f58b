internal import Glibc

/// Rows from sorted buffers and runs, in one order: a heap of cursors (Knuth, volume 3, 5.4.1).
@safe package final class RowMerger {
  /// One sorted sequence and its first row not yet taken.
  @safe private struct Cursor {
    var prefix: UInt64
    var row: UnsafeRawBufferPointer
    var source: Source
  }
  private enum Source {
    case arena(RowArena, next: Int)
    case run(RowRunReader)
  }

  private let keyLength: Int
  private var heap: [Cursor] = []
  private var isFirst = true

  /// Merges all sequences of all `parts`; runs are read through `memory` bytes together.
  init(_ parts: [SortedRows], keyLength: Int, memory: Int) throws(AuditError) {
    self.keyLength = keyLength
    let runs = parts.reduce(0) { $0 + $1.runs.count }
    let share = min(memory / max(runs, 1), 1 << 20)
    for part in parts {
      for arena in part.arenas { try add(.arena(arena, next: 0)) }
      for run in part.runs {
        try add(.run(RowRunReader(file: part.file, run: run, bufferBytes: share)))
      }
    }
    for index in stride(from: heap.count / 2 - 1, through: 0, by: -1) { sink(index) }
  }

  private func add(_ source: Source) throws(AuditError) {
    var source = source
    guard let row = unsafe try Self.advance(&source) else { return }
    unsafe heap.append(Cursor(prefix: Self.prefix(row), row: row, source: source))
  }

  private static func prefix(_ row: UnsafeRawBufferPointer) -> UInt64 {
    unsafe row.loadUnaligned(as: UInt64.self).bigEndian
  }

  private static func advance(_ source: inout Source) throws(AuditError) -> UnsafeRawBufferPointer?
  {
    switch source {
    case .arena(let arena, let next):
      guard next < arena.count else { return nil }
      source = .arena(arena, next: next + 1)
      return unsafe arena.row(next)
    case .run(let reader):
      return unsafe try reader.next()
    }
  }

  /// The next row in order, valid until the next call; nil at the end.
  package func next() throws(AuditError) -> UnsafeRawBufferPointer? {
    if isFirst {
      isFirst = false
    } else if !heap.isEmpty {
      if let row = unsafe try Self.advance(&heap[0].source) {
        unsafe heap[0].row = row
        unsafe heap[0].prefix = Self.prefix(row)
      } else {
        let last = heap.removeLast()
        if !heap.isEmpty { heap[0] = last }
      }
      if heap.count > 1 { sink(0) }
    }
    return unsafe heap.first?.row
  }

  private func precedes(_ left: Int, _ right: Int) -> Bool {
    let a = heap[left].prefix
    let b = heap[right].prefix
    if a != b { return a < b }
    return unsafe memcmp(
      heap[left].row.baseAddress.unsafelyUnwrapped, heap[right].row.baseAddress.unsafelyUnwrapped,
      keyLength) < 0
  }

  private func sink(_ start: Int) {
    var index = start
    while true {
      var child = 2 * index + 1
      guard child < heap.count else { return }
      if child + 1 < heap.count, precedes(child + 1, child) { child += 1 }
      guard precedes(child, index) else { return }
      heap.swapAt(child, index)
      index = child
    }
  }
}
