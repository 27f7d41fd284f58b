internal import AuditEngine
internal import Files
internal import Glibc
internal import RowShuffle

/// Short rows that come out in the order of their keys' bytes, and of equal keys in the order in which
/// they were added, at the end of a run.
final class SortedLog<Key: CodedRow, Row: CodedRow>: @unchecked Sendable {
  // Used by whoever holds its owner's lock.

  private let folder: Folder
  private let keyLength = Key().packed.count + MemoryLayout<UInt64>.size
  /// The sorter of the rows. It is made with the first row.
  private var sorter: RowSorter?
  private var count: UInt64 = 0

  init(_ folder: Folder) { self.folder = folder }

  func append(_ key: Key, _ row: Row) throws(AuditError) {
    let sorter =
      self.sorter
      ?? RowSorter(
        RowSorter.Settings(
          keyLength: keyLength, writers: 1, memory: 2 << 20,
          space: SpillSpace(folder: folder.path)))
    self.sorter = sorter
    count += 1
    let number = unsafe withUnsafeBytes(of: count.bigEndian) { unsafe Array($0) }
    let bytes = key.packed + number + row.packed
    try asState { () throws(AuditError) in
      unsafe try bytes.span.withUnsafeBytes { (bytes) throws(AuditError) in
        unsafe try sorter.writer(0).append(bytes)
      }
    }
  }

  /// Calls `body` with each row, in order, and its number among those added; called once.
  func each(_ body: (Key, Row, UInt64) throws(StateError) -> Void) throws(StateError) {
    guard let sorter else { return }
    self.sorter = nil
    let rows = try asState { () throws(AuditError) in try sorter.merged() }
    while let bytes = try asState({ () throws(AuditError) in
      unsafe try rows.next().map { unsafe Array($0) }
    }) {
      let front = bytes.prefix(keyLength)
      guard let key = Key(packed: Array(front.dropLast(MemoryLayout<UInt64>.size))),
        let row = Row(packed: Array(bytes.dropFirst(keyLength)))
      else { throw .damagedLog }
      let number = front.suffix(MemoryLayout<UInt64>.size).reduce(0) { $0 << 8 | UInt64($1) }
      try body(key, row, number)
    }
  }

  /// Turns the error of a shuffle whose folder is the state directory into a state's.
  private func asState<Value>(
    _ body: () throws(AuditError) -> Value
  ) throws(StateError) -> Value {
    do throws(AuditError) { return try body() } catch {
      switch error.code {
      case .temporaryStorage(let number): throw AuditError(.file(number), error.context)
      case .memory: throw AuditError(.file(ENOMEM), error.context)
      default: throw AuditError(.damaged(file: "a file without a name"), error.context)
      }
    }
  }
}
