internal import Basics

/// Counts by hour, in bins that widen so that their number is bounded.
package struct TimeBins: Sendable, Equatable {
  package struct Bin: Sendable, Equatable {
    /// The number of the bin since 1970, in units of ``TimeBins/width``.
    package var index: Int64
    package var counts: [UInt64]

    package init(index: Int64, counts: [UInt64]) {
      self.index = index
      self.counts = counts
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

  // A run has a table for each of its inputs, perhaps a million.
  private let binLimit: UInt32
  private let kindCount: UInt8
  private var widthBits: UInt8 = 0
  /// The numbers of the bins in ascending order, and the counts of each by kind, one after the other.
  private var indices: [Int64] = []
  private var counts: [UInt64] = []
  /// The hours of one bin as a power of two: the least by which there are no more bins than the
  /// limit, in whatever order hours are added.
  private var shift: Int {
    get { Int(widthBits) }
    set { widthBits = UInt8(newValue) }
  }
  private var kinds: Int { Int(kindCount) }
  private var limit: Int { Int(binLimit) }
  package var width: Int64 { 1 << Int64(shift) }

  package var bins: [Bin] {
    indices.indices.map { Bin(index: indices[$0], counts: Array(counts(of: $0))) }
  }
  var count: Int { indices.count }
  var total: UInt64 { counts.reduce(0, &+) }
  /// The hours with what is counted of each, ascending, or an empty list if bins are wider.
  package var hours: [(hour: Int64, count: UInt64)] {
    width > 1 ? [] : indices.indices.map { (indices[$0], counts(of: $0).reduce(0, &+)) }
  }

  /// Makes an empty table of `kinds` counts an hour.
  package init(kinds: Int, limit: Int) {
    kindCount = UInt8(kinds)
    binLimit = UInt32(clamping: limit)
  }

  package init(sumOf parts: [TimeBins], kinds: Int, limit: Int) {
    self.init(kinds: kinds, limit: limit)
    for part in parts { add(part) }
  }

  /// Makes a table of stored bins, or nil if they are not those of a table.
  package init?(kinds: Int, limit: Int, width: Int64, bins: [Bin]) {
    self.init(kinds: kinds, limit: limit)
    let most = Self.farthest
    guard width > 0, width <= most, width & (width - 1) == 0, bins.count <= limit,
      zip(bins, bins.dropFirst()).allSatisfy({ $0.index < $1.index }),
      bins.allSatisfy({ $0.counts.count == kinds && $0.index.magnitude <= most / width + 1 })
    else { return nil }
    shift = width.trailingZeroBitCount
    indices = bins.map(\.index)
    counts = bins.flatMap(\.counts)
  }

  /// Returns the hour since 1970 of a time in milliseconds.
  package static func hour(of time: Int64) -> Int64 { quotient(time, hour) }

  /// Counts something of an hour since 1970. It is fast if the hours ascend.
  package mutating func add(_ hour: Int64, _ kind: Int, _ count: UInt64 = 1) {
    counts[place(of: hour) * kinds + kind] &+= count
    fit()
  }

  /// Adds another table of as many kinds.
  package mutating func add(_ other: TimeBins) {
    if other.shift > shift { widen(to: other.shift) }
    for place in other.indices.indices {
      let start = self.place(of: other.indices[place] << other.shift) * kinds
      for (kind, count) in other.counts(of: place).enumerated() { counts[start + kind] &+= count }
    }
    fit()
  }

  /// Removes all counts. Their memory stays.
  mutating func removeAll() {
    indices.removeAll(keepingCapacity: true)
    counts.removeAll(keepingCapacity: true)
    shift = 0
  }

  private func counts(of place: Int) -> ArraySlice<UInt64> {
    counts[(place * kinds)..<((place + 1) * kinds)]
  }

  /// Returns the place of an hour's bin, which is inserted if it is not there.
  private mutating func place(of hour: Int64) -> Int {
    let index = max(-Self.farthest, min(Self.farthest, hour)) >> shift
    var place = indices.count - 1
    if place >= 0, indices[place] == index { return place }
    if place < 0 || indices[place] < index {
      place = indices.count
    } else {
      place = indices.indices.searched { indices[$0] < index }
      if indices[place] == index { return place }
    }
    indices.insert(index, at: place)
    counts.insert(contentsOf: repeatElement(0, count: kinds), at: place * kinds)
    return place
  }

  private mutating func fit() { if indices.count > limit { widen(to: shift + 1) } }

  private mutating func widen(to shift: Int) {
    let old = self
    removeAll()
    self.shift = shift
    add(old)
  }

  /// Returns a strip of at most `most` columns, or nil. One in a thousand at either end may be
  /// outside, so that a wrong clock does not flatten a day.
  package func strip(_ most: Int) -> Strip? {
    let bins = bins
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
        repeating: noCounts, count: Int(Self.quotient(last, unit) - start) + 1),
      outside: total)
    strip.columns = columns(of: strip)
    strip.outside &-= strip.columns.joined().reduce(0, &+)
    return strip
  }

  /// Returns the counts by column of a strip. It may be that of a sum of which this table is a part.
  package func columns(of strip: Strip) -> [[UInt64]] {
    var columns = strip.columns.map { _ in noCounts }
    let unit = strip.width / Self.hour
    let start = Self.quotient(strip.start / Self.hour, unit)
    for bin in bins {
      let column = Self.quotient(bin.index * width, unit) - start
      guard columns.indices.contains(Int(column)) else { continue }
      for kind in 0..<kinds { columns[Int(column)][kind] &+= bin.counts[kind] }
    }
    return columns
  }

  private var noCounts: [UInt64] { [UInt64](repeating: 0, count: kinds) }

  private static func quotient(_ value: Int64, _ by: Int64) -> Int64 {
    let quotient = value / by
    return value % by < 0 ? quotient - 1 : quotient
  }
}

extension TimeBins {
  /// Codes the width and the bins, each by its number, after the number of bins.
  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    var (wide, count) = (UInt64(width), UInt32(indices.count))
    try coder.smallCount(&wide)
    try coder.number(&count)
    try coder.require(wide.nonzeroBitCount == 1 && wide <= UInt64(Self.farthest))
    if coder.isReading {
      removeAll()
      shift = wide.trailingZeroBitCount
    }
    for place in 0..<Int(count) {
      var index = coder.isReading ? 0 : indices[place]
      try coder.number(&index)
      try coder.require(index.magnitude <= UInt64(Self.farthest / width + 1))
      let start = (coder.isReading ? self.place(of: index << shift) : place) * kinds
      for kind in 0..<kinds { try coder.smallCount(&counts[start + kind]) }
    }
    if coder.isReading { fit() }
  }
}
