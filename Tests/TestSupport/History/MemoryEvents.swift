internal import AuditEngine
internal import RowShuffle
internal import Synchronization

/// The kept rows of one run of a ``MemoryHistory``.
final class MemoryEvents: EventMemory {
  /// The number of key bytes at the front of a row of the shuffle by key identifier.
  static let keyLength = 57
  /// The length of the longest row of a shuffle, in bytes.
  static let maximumRowBytes = 16_384

  private struct State {
    var reads = 0
    var kept: [[UInt8]] = []
  }

  private let earlier: [[[UInt8]]]
  private let isAdvance: Bool
  private let state = Mutex(State())

  /// Makes the memory. `earlier` are the rows of each run, in ascending order of their keys.
  init(_ earlier: [[[UInt8]]], isAdvance: Bool) {
    self.earlier = earlier
    self.isAdvance = isAdvance
  }

  var kept: [[UInt8]] { state.withLock { $0.kept } }

  func runs(from marks: [KeptRowMark]) throws(AuditError) -> [any RowRunSource] {
    let reads = state.withLock { state in
      state.reads += 1
      return state.reads
    }
    guard reads <= 3 else { throw AuditError.misuse("kept rows are read more than three times") }
    return earlier.map { MemoryRowRun($0) }
  }

  func keep(_ row: UnsafeRawBufferPointer) throws(AuditError) {
    guard isAdvance else { throw AuditError.misuse("a row is kept without advance") }
    let row = unsafe Array(row)
    guard (Self.keyLength...Self.maximumRowBytes).contains(row.count) else {
      throw AuditError.misuse("a row of \(row.count) bytes is kept")
    }
    let isInOrder = state.withLock { state in
      defer { state.kept.append(row) }
      return state.kept.last.map {
        !row.prefix(Self.keyLength).lexicographicallyPrecedes($0.prefix(Self.keyLength))
      } ?? true
    }
    guard isInOrder else { throw AuditError.misuse("rows are not kept in ascending order") }
  }
}

/// A sorted run of kept rows, read in pieces that are hardly longer than the longest row.
@safe final class MemoryRowRun: RowRunSource {
  private let bytes: [UInt8]
  private var position = 0
  private let buffer: UnsafeMutableRawBufferPointer

  init(_ rows: [[UInt8]]) {
    bytes = rows.flatMap { row in
      unsafe withUnsafeBytes(of: UInt32(row.count)) { unsafe Array($0) } + row
    }
    unsafe buffer = .allocate(byteCount: 2 * MemoryEvents.maximumRowBytes, alignment: 64)
  }

  deinit { unsafe buffer.deallocate() }

  var nothing: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: buffer[..<0]) }

  func read(behind held: UnsafeRawBufferPointer) throws(AuditError) -> UnsafeRawBufferPointer {
    unsafe buffer.copyMemory(from: held)
    let count = unsafe min(bytes.count - position, buffer.count - held.count)
    let end = held.count + count
    unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[held.count..<end])
      .copyBytes(from: bytes[position..<(position + count)])
    position += count
    return unsafe UnsafeRawBufferPointer(rebasing: buffer[..<end])
  }
}
