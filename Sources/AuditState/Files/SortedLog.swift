internal import AuditEngine
internal import Glibc
internal import RowShuffle

/// Short rows that wait for the end of a run and come out in the order of their bytes: a shuffle
/// that spills to the state directory.
final class SortedLog: @unchecked Sendable {
  // Used by whoever holds its owner's lock.

  /// Bytes of rows in memory.
  private static let memory = 2 << 20

  private let folder: StateFolder
  private let keyLength: Int
  /// The sorter of the rows. It is made with the first row.
  private var sorter: RowSorter?

  /// Makes a log. Rows begin with a key of `keyLength` bytes, at least 8.
  init(_ folder: StateFolder, keyLength: Int) {
    self.folder = folder
    self.keyLength = keyLength
  }

  func append(_ row: [UInt8]) throws(AuditError) {
    let sorter =
      self.sorter
      ?? RowSorter(
        RowSorter.Settings(
          keyLength: keyLength, writers: 1, memory: Self.memory,
          space: SpillSpace(folder: folder.path)))
    self.sorter = sorter
    do throws(AuditError) {
      unsafe try row.span.withUnsafeBytes { (bytes) throws(AuditError) in
        unsafe try sorter.writer(0).append(bytes)
      }
    } catch { throw Self.ofState(error) }
  }

  /// Calls `body` with each row, in order; called once.
  func each(_ body: ([UInt8]) throws(StateError) -> Void) throws(StateError) {
    guard let sorter else { return }
    self.sorter = nil
    let rows: RowMerger
    do throws(AuditError) { rows = try sorter.merged() } catch { throw Self.ofState(error) }
    while let row = try Self.next(rows) { try body(row) }
  }

  private static func next(_ rows: RowMerger) throws(StateError) -> [UInt8]? {
    do throws(AuditError) { return unsafe try rows.next().map { unsafe Array($0) } } catch {
      throw ofState(error)
    }
  }

  /// Returns a number as 8 bytes that sort as it does.
  static func big(_ number: UInt64) -> [UInt8] {
    stride(from: UInt64(56), through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  /// Returns the number whose bytes stand at `offset`.
  static func number(_ row: [UInt8], at offset: Int) -> UInt64 {
    row[offset..<(offset + 8)].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Returns the error of a shuffle whose folder is the state directory.
  private static func ofState(_ error: AuditError) -> AuditError {
    switch error.code {
    case .temporaryStorage(let number): AuditError(.stateStorage(number), error.context)
    case .memory: AuditError(.stateStorage(ENOMEM), error.context)
    default: AuditError(.damaged(file: "a file without a name"), error.context)
    }
  }
}
