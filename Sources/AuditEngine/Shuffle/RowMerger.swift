internal import Glibc

/// Rows from sorted buffers and runs, in one order: a heap of cursors (Knuth, volume 3, 5.4.1).
@safe package final class RowMerger {
  /// The first row not yet taken of one sequence.
  @safe private struct Cursor {
    var prefix: UInt64
    var row: UnsafeRawBufferPointer
    /// The index of the sequence.
    var source: Int
  }

  /// A sorted sequence.
  private enum Source {
    case arena(RowArena)
    case run(RowRunReader)
  }

  private let keyLength: Int
  private let sources: [Source]
  /// Of each sequence in memory, the index of its next row.
  private let places: UnsafeMutablePointer<Int>
  /// The sequences that have a row left, as a heap.
  private let heap: UnsafeMutablePointer<Cursor>
  private var count = 0
  private var isFirst = true

  /// Merges all sequences of all `parts`; runs are read through `memory` bytes together.
  init(_ parts: [SortedRows], keyLength: Int, memory: Int) throws(AuditError) {
    self.keyLength = keyLength
    let runs = parts.reduce(0) { $0 + $1.runs.count }
    let share = min(memory / max(runs, 1), 1 << 20)
    var sources: [Source] = []
    for part in parts {
      sources += part.arenas.map { .arena($0) }
      sources += part.runs.map {
        .run(RowRunReader(file: part.file, run: $0, bufferBytes: share))
      }
    }
    self.sources = sources
    unsafe places = .allocate(capacity: sources.count)
    unsafe places.initialize(repeating: 0, count: sources.count)
    unsafe heap = .allocate(capacity: sources.count)
    for index in sources.indices {
      guard let row = unsafe try advance(index) else { continue }
      unsafe (heap + count).initialize(
        to: Cursor(prefix: Self.prefix(row), row: row, source: index))
      count += 1
    }
    for index in stride(from: count / 2 - 1, through: 0, by: -1) { sink(index) }
  }

  deinit {
    unsafe places.deallocate()
    unsafe heap.deallocate()
  }

  private static func prefix(_ row: UnsafeRawBufferPointer) -> UInt64 {
    unsafe row.loadUnaligned(as: UInt64.self).bigEndian
  }

  /// Takes the next row of one sequence; nil at its end.
  private func advance(_ index: Int) throws(AuditError) -> UnsafeRawBufferPointer? {
    switch sources[index] {
    case .arena(let arena):
      let place = unsafe places[index]
      guard place < arena.count else { return nil }
      unsafe places[index] = place + 1
      return unsafe arena.row(place)
    case .run(let reader):
      return unsafe try reader.next()
    }
  }

  /// The next row in order, valid until the next call; nil at the end.
  package func next() throws(AuditError) -> UnsafeRawBufferPointer? {
    if isFirst {
      isFirst = false
    } else if count > 0 {
      if let row = unsafe try advance(heap[0].source) {
        unsafe heap[0].row = row
        unsafe heap[0].prefix = Self.prefix(row)
      } else {
        count -= 1
        unsafe heap[0] = heap[count]
      }
      if count > 1 { sink(0) }
    }
    return count > 0 ? unsafe heap[0].row : nil
  }

  private func precedes(_ left: Cursor, _ right: Cursor) -> Bool {
    if left.prefix != right.prefix { return left.prefix < right.prefix }
    return unsafe memcmp(
      left.row.baseAddress.unsafelyUnwrapped, right.row.baseAddress.unsafelyUnwrapped, keyLength)
      < 0
  }

  /// Lets a cursor sink to its place.
  private func sink(_ start: Int) {
    let moving = unsafe heap[start]
    var index = start
    while true {
      var child = 2 * index + 1
      guard child < count else { break }
      if child + 1 < count, unsafe precedes(heap[child + 1], heap[child]) { child += 1 }
      guard unsafe precedes(heap[child], moving) else { break }
      unsafe heap[index] = heap[child]
      index = child
    }
    unsafe heap[index] = moving
  }
}
