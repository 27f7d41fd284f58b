internal import Synchronization

/// Memory that sorters share: a writer whose own is full keeps a piece until its rows are released.
package final class RowBudget: Sendable {
  private let pieceBytes: Int
  private let left: Atomic<Int>

  /// Makes a budget of at most 64 pieces, each large enough for several sorted runs.
  package init(bytes: Int) {
    pieceBytes = min(max(bytes / 64, 4 << 20), 64 << 20)
    left = Atomic(bytes / pieceBytes)
  }

  /// Returns an empty store, or nil if no piece is left.
  func takeStore() -> RowStore? {
    guard left.subtract(1, ordering: .relaxed).newValue >= 0 else {
      giveBack(1)
      return nil
    }
    return RowStore(capacity: pieceBytes)
  }

  /// Takes back the pieces of stores that are no longer used.
  func giveBack(_ stores: Int) {
    left.add(stores, ordering: .relaxed)
  }
}
