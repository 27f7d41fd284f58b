internal import AuditEngine
internal import Files
internal import Glibc
internal import RowShuffle

/// Rows that come out in the order of their keys' bytes, and of equal keys in the order in which they
/// were added, at the end of a run.
final class SortedLog<Key: CodedRow, Row: CodedRow>: @unchecked Sendable {
  // Used by whoever holds its owner's lock.

  /// The bytes of a row that are sorted as one: a row of a shuffle is no longer than some thousand.
  private static var partBytes: Int { 8192 }

  private let folder: Folder
  /// Bytes in front of each part: the key, and the row's number among those that were added.
  private let frontBytes = Key().packed.count + MemoryLayout<UInt64>.size
  /// The same with the place of the part in its row.
  private var keyLength: Int { frontBytes + MemoryLayout<UInt32>.size }
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
    var front = key.packed
    front.append(number: count.bigEndian)
    let packed = row.packed
    for start in stride(from: 0, to: packed.count, by: Self.partBytes) {
      var part = front
      part.append(number: UInt32(start).bigEndian)
      part += packed[start...].prefix(Self.partBytes)
      try asState { () throws(AuditError) in
        unsafe try part.span.withUnsafeBytes { (part) throws(AuditError) in
          unsafe try sorter.writer(0).append(part)
        }
      }
    }
  }

  /// Calls `body` with each row, in order, and its number among those added; called once.
  func each(_ body: (Key, Row, UInt64) throws(StateError) -> Void) throws(StateError) {
    guard let sorter else { return }
    self.sorter = nil
    let rows = try asState { () throws(AuditError) in try sorter.merged() }
    var (front, packed): ([UInt8], [UInt8]) = ([], [])
    func give() throws(StateError) {
      guard !front.isEmpty else { return }
      guard let key = Key(packed: Array(front.dropLast(MemoryLayout<UInt64>.size))),
        let row = Row(packed: packed)
      else { throw .damagedLog }
      let number = front.suffix(MemoryLayout<UInt64>.size).reduce(0) { $0 << 8 | UInt64($1) }
      try body(key, row, number)
    }
    while let part = try asState({ () throws(AuditError) in
      unsafe try rows.next().map { unsafe Array($0) }
    }) {
      if front.isEmpty || !part.starts(with: front) {
        try give()
        front = Array(part.prefix(frontBytes))
        packed.removeAll(keepingCapacity: true)
      }
      packed += part.dropFirst(keyLength)
    }
    try give()
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
