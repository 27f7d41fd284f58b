internal import Basics

/// A set of sign counters in at most 2 bytes each, and 8 KiB for any 65,536 neighbours (the layout
/// of Roaring bitmaps); members that earlier runs saw stay the ranges as which they were remembered.
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

    /// Calls `body` with every member in ascending order.
    func eachMember(_ body: (UInt16) -> Void) {
      for low in sparse { body(low) }
      for (index, word) in dense.enumerated() {
        var bits = word
        while bits != 0 {
          body(UInt16(truncatingIfNeeded: index << 6 | bits.trailingZeroBitCount))
          bits &= bits &- 1
        }
      }
    }

    /// Returns the index of the first member that is not below `low`.
    private func place(of low: UInt16) -> Int {
      if let last = sparse.last, low > last { return sparse.count }
      return sparse.indices.searched { sparse[$0] < low }
    }
  }

  /// Ranges in ascending order, apart from each other. None of their members is in a chunk.
  private let base: [ClosedRange<UInt32>]
  private var chunks: [Chunk] = []
  private var indexes: [UInt16: Int] = [:]
  private var lastHigh: UInt16 = 0
  private var lastIndex = -1

  init(_ ranges: [ClosedRange<UInt32>] = []) {
    base = Self.normalised(ranges)
  }

  /// Adds a counter. Returns false if it was there already.
  mutating func insert(_ counter: UInt32) -> Bool {
    if !base.isEmpty, isInBase(counter) { return false }
    let low = UInt16(truncatingIfNeeded: counter)
    let index = chunk(UInt16(truncatingIfNeeded: counter >> 16))
    guard !chunks[index].contains(low) else { return false }
    chunks[index].insert(low)
    return true
  }

  /// Returns the index of the chunk for these upper bits, which is made if it does not exist.
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

extension CounterSet {
  var ranges: [ClosedRange<UInt32>] {
    guard !chunks.isEmpty else { return base }
    var added: [ClosedRange<UInt32>] = []
    for high in indexes.keys.sorted() {
      guard let index = indexes[high] else { continue }
      chunks[index].eachMember { low in
        Self.append(UInt32(high) << 16 | UInt32(low), to: &added)
      }
    }
    return Self.merged(base, added)
  }

  func count(in range: ClosedRange<UInt32>) -> UInt64 {
    var count: UInt64 = 0
    for member in ranges where member.overlaps(range) {
      let common = member.clamped(to: range)
      count += UInt64(common.upperBound - common.lowerBound) + 1
    }
    return count
  }

  private func isInBase(_ counter: UInt32) -> Bool {
    let index = base.indices.searched { base[$0].upperBound < counter }
    return index < base.count && base[index].lowerBound <= counter
  }

  /// Adds a number above all others.
  private static func append(_ counter: UInt32, to ranges: inout [ClosedRange<UInt32>]) {
    if let last = ranges.last, last.upperBound &+ 1 == counter {
      ranges[ranges.count - 1] = last.lowerBound...counter
    } else {
      ranges.append(counter...counter)
    }
  }

  /// Returns the same members as ranges in ascending order, apart from each other.
  private static func normalised(
    _ ranges: [ClosedRange<UInt32>]
  ) -> [ClosedRange<UInt32>] {
    for index in ranges.indices.dropFirst() where !isApart(ranges[index - 1], ranges[index]) {
      return merged(ranges.sorted { $0.lowerBound < $1.lowerBound }, [])
    }
    return ranges
  }

  /// Returns whether `next` stands behind a range with a number between them.
  private static func isApart(
    _ range: ClosedRange<UInt32>, _ next: ClosedRange<UInt32>
  ) -> Bool {
    range.upperBound < next.lowerBound && range.upperBound + 1 < next.lowerBound
  }

  /// Merges the members of both, each in ascending order, into ranges apart from each other.
  private static func merged(
    _ left: [ClosedRange<UInt32>], _ right: [ClosedRange<UInt32>]
  ) -> [ClosedRange<UInt32>] {
    var result: [ClosedRange<UInt32>] = []
    result.reserveCapacity(left.count + right.count)
    var (a, b) = (0, 0)
    while a < left.count || b < right.count {
      let takesLeft =
        b == right.count || (a < left.count && left[a].lowerBound < right[b].lowerBound)
      let range = takesLeft ? left[a] : right[b]
      if takesLeft { a += 1 } else { b += 1 }
      if let last = result.last, !isApart(last, range) {
        result[result.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        result.append(range)
      }
    }
    return result
  }
}
