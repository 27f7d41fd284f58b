internal import Basics

/// Counts by hour, in bins that widen so that their number is bounded.
package struct TimeBins: Sendable, Equatable {
  /// One bin.
  package struct Bin: Sendable, Equatable {
    /// The number of the bin since 1970, in units of ``TimeBins/width``.
    package var index: Int64
    /// The counts by kind.
    package var counts: [UInt64]

    package init(index: Int64, counts: [UInt64]) {
      self.index = index
      self.counts = counts
    }

    fileprivate mutating func add(_ other: [UInt64]) {
      for (kind, count) in zip(counts.indices, other) { counts[kind] &+= count }
    }
  }

  /// A strip of a bounded number of columns around nearly everything that was counted.
  package struct Strip: Sendable {
    /// The time at which the first column begins, in milliseconds since 1970.
    package var start: Int64
    /// The duration of a column, in milliseconds.
    package var width: Int64
    /// The counts by column, then by kind.
    package var columns: [[UInt64]]
    /// The sum of the counts outside the strip.
    package var outside: UInt64
  }

  private static let hour: Int64 = 3_600_000
  /// The last hour since 1970 that a browser can represent. Later ones are counted there.
  private static let farthest: Int64 = 2_400_000_000
  /// The widths of columns that people read easily, in hours.
  private static let widths: [Int64] = [1, 2, 3, 6, 12, 24, 7 * 24, 28 * 24, 364 * 24]

  private let kinds: Int
  /// The largest number of bins that are held.
  private let limit: Int
  /// The bins in ascending order.
  package private(set) var bins: [Bin] = []
  /// The hours of one bin: a power of two.
  package private(set) var width: Int64 = 1

  /// Makes an empty table of `kinds` counts an hour.
  package init(kinds: Int, limit: Int) {
    self.kinds = kinds
    self.limit = limit
  }

  /// Makes the sum of tables.
  package init(sumOf parts: [TimeBins], kinds: Int, limit: Int) {
    self.init(kinds: kinds, limit: limit)
    width = parts.map(\.width).max() ?? 1
    var sums: [Int64: Bin] = [:]
    for part in parts {
      for bin in part.bins {
        let index = Self.quotient(bin.index, width / part.width)
        sums[index, default: empty(index)].add(bin.counts)
      }
    }
    bins = sums.values.sorted { $0.index < $1.index }
    if bins.count > limit { widen() }
  }

  /// Makes a table of stored bins, or nil if they are not those of a table.
  package init?(kinds: Int, limit: Int, width: Int64, bins: [Bin]) {
    self.init(kinds: kinds, limit: limit)
    let most = Self.farthest
    guard width > 0, width <= most, width & (width - 1) == 0, bins.count <= limit,
      zip(bins, bins.dropFirst()).allSatisfy({ $0.index < $1.index }),
      bins.allSatisfy({ $0.counts.count == kinds && $0.index.magnitude <= most / width + 1 })
    else { return nil }
    self.width = width
    self.bins = bins
  }

  /// Returns the hour since 1970 of a time in milliseconds.
  package static func hour(of time: Int64) -> Int64 { quotient(time, hour) }

  /// Counts something of an hour since 1970. It is fast if the hours ascend.
  package mutating func add(_ hour: Int64, _ kind: Int, _ count: UInt64 = 1) {
    let index = Self.quotient(max(-Self.farthest, min(Self.farthest, hour)), width)
    var place = bins.count - 1
    if place < 0 || bins[place].index != index {
      place = bins.indices.searched { bins[$0].index < index }
      if place == bins.count || bins[place].index != index {
        bins.insert(empty(index), at: place)
      }
    }
    bins[place].counts[kind] &+= count
    if bins.count > limit { widen() }
  }

  /// Returns a strip of at most `most` columns, or nil. One in a thousand at either end may be
  /// outside, so that a wrong clock does not flatten a day.
  package func strip(_ most: Int) -> Strip? {
    let totals = bins.map { $0.counts.reduce(0, &+) }
    let total = totals.reduce(0, &+)
    guard total > 0 else { return nil }
    var (low, high) = (0, bins.count - 1)
    var left = total / 1000
    while low < high, totals[low] <= left {
      left -= totals[low]
      low += 1
    }
    var right = total / 1000
    while high > low, totals[high] <= right {
      right -= totals[high]
      high -= 1
    }
    let first = bins[low].index * width
    let last = bins[high].index * width + width - 1
    let unit =
      Self.widths.first {
        $0 % width == 0 && Self.quotient(last, $0) - Self.quotient(first, $0) < Int64(most)
      } ?? max(width, (last - first) / Int64(most - 1) + 1)
    let start = Self.quotient(first, unit)
    var strip = Strip(
      start: start * unit * Self.hour, width: unit * Self.hour,
      columns: Array(
        repeating: empty(0).counts, count: Int(Self.quotient(last, unit) - start) + 1),
      outside: total)
    strip.columns = columns(of: strip)
    strip.outside &-= strip.columns.joined().reduce(0, &+)
    return strip
  }

  /// Returns the counts by column of a strip. It may be that of a sum of which this table is a part.
  package func columns(of strip: Strip) -> [[UInt64]] {
    var columns = strip.columns.map { _ in empty(0) }
    let unit = strip.width / Self.hour
    let start = Self.quotient(strip.start / Self.hour, unit)
    for bin in bins {
      let column = Self.quotient(bin.index * width, unit) - start
      if columns.indices.contains(Int(column)) { columns[Int(column)].add(bin.counts) }
    }
    return columns.map(\.counts)
  }

  /// Doubles the width until half of the bins are free.
  private mutating func widen() {
    while bins.count > limit / 2 {
      width *= 2
      var wider: [Bin] = []
      for bin in bins {
        let index = Self.quotient(bin.index, 2)
        if wider.last?.index != index { wider.append(empty(index)) }
        wider[wider.count - 1].add(bin.counts)
      }
      bins = wider
    }
  }

  private func empty(_ index: Int64) -> Bin {
    Bin(index: index, counts: [UInt64](repeating: 0, count: kinds))
  }

  /// Returns the quotient, rounded down.
  private static func quotient(_ value: Int64, _ by: Int64) -> Int64 {
    let quotient = value / by
    return value % by < 0 ? quotient - 1 : quotient
  }
}
