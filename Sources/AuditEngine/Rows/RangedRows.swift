internal import RowShuffle
internal import Synchronization

/// The rows of a shuffle, in ranges of keys that reducers take one after the other.
final class RowRanges: Sendable {
  private let rows: RowSorter
  /// The sorter that is read with them. Its keys have the same layout.
  private let others: RowSorter?
  private let ranges: [RowRange]
  private let taken = Atomic<Int>(0)

  init(_ rows: RowSorter, with others: RowSorter? = nil) throws(AuditError) {
    self.rows = rows
    self.others = others
    ranges = try rows.ranges(with: others)
  }

  /// Returns the next range that no reducer has taken, or nil if all are taken.
  fileprivate func take() -> RowRange? {
    let index = taken.add(1, ordering: .relaxed).oldValue
    return index < ranges.count ? ranges[index] : nil
  }

  fileprivate func merged(_ range: RowRange) throws(AuditError) -> RowMerger {
    try rows.merged(range, with: others)
  }
}

/// The rows that one reducer takes: in order, range after range.
final class RangedRows {
  private let ranges: RowRanges
  /// The rows of the range at hand, the same object, so that no reference count changes.
  private let rows: RowMerger

  init(_ ranges: RowRanges) throws(AuditError) {
    self.ranges = ranges
    rows = try ranges.merged(ranges.take() ?? .none)
  }

  /// Whether the row returned last stays where it is until the shuffle is released.
  var stays: Bool { rows.stays }

  /// Returns the next row, valid until the next call, or nil at the end.
  func next() throws(AuditError) -> UnsafeRawBufferPointer? {
    if let row = unsafe try rows.next() { return unsafe row }
    return unsafe try nextOfOther()
  }

  private func nextOfOther() throws(AuditError) -> UnsafeRawBufferPointer? {
    while let range = ranges.take() {
      try rows.move(to: range)
      if let row = unsafe try rows.next() { return unsafe row }
    }
    return nil
  }
}
