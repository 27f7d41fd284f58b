/// A set of sign counters in at most 2 bytes each, and 8 KiB for any 65,536 neighbours (the layout
/// of Roaring bitmaps).
struct CounterSet {
  /// The members that share their upper 16 bits: a sorted array, or a bitmap once that is smaller.
  private struct Chunk {
    static let sparseLimit = 4096
    var sparse: [UInt16] = []
    var dense: [UInt64] = []

    func contains(_ low: UInt16) -> Bool {
      if !dense.isEmpty { return dense[Int(low >> 6)] >> UInt64(low & 63) & 1 == 1 }
      if let last = sparse.last, low >= last { return low == last }
      let index = place(of: low)
      return index < sparse.count && sparse[index] == low
    }

    /// Adds a number that is not there yet.
    mutating func insert(_ low: UInt16) {
      if !dense.isEmpty {
        dense[Int(low >> 6)] |= 1 << UInt64(low & 63)
        return
      }
      sparse.insert(low, at: place(of: low))
      guard sparse.count > Self.sparseLimit else { return }
      dense = [UInt64](repeating: 0, count: 1024)
      for member in sparse { dense[Int(member >> 6)] |= 1 << UInt64(member & 63) }
      sparse = []
    }

    /// The index of the first member that is not below `low`.
    private func place(of low: UInt16) -> Int {
      if let last = sparse.last, low > last { return sparse.count }
      var from = 0
      var to = sparse.count
      while from < to {
        let middle = (from + to) / 2
        if sparse[middle] < low { from = middle + 1 } else { to = middle }
      }
      return from
    }
  }

  private var chunks: [Chunk] = []
  private var indexes: [UInt16: Int] = [:]
  private var lastHigh: UInt16 = 0
  private var lastIndex = -1

  /// Adds a counter; false where it was there already.
  mutating func insert(_ counter: UInt32) -> Bool {
    let low = UInt16(truncatingIfNeeded: counter)
    let index = chunk(UInt16(truncatingIfNeeded: counter >> 16))
    guard !chunks[index].contains(low) else { return false }
    chunks[index].insert(low)
    return true
  }

  /// The index of the chunk for these upper bits, made where there is none.
  private mutating func chunk(_ high: UInt16) -> Int {
    if lastIndex >= 0, lastHigh == high { return lastIndex }
    let index: Int
    if let known = indexes[high] {
      index = known
    } else {
      index = chunks.count
      chunks.append(Chunk())
      indexes[high] = index
    }
    lastHigh = high
    lastIndex = index
    return index
  }
}
