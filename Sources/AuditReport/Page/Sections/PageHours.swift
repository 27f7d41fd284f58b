internal import AuditEngine
internal import AuditLog

/// Findings by time, decision and severity, in bins that widen so that their number is bounded.
struct PageHours {
  /// One bin: counts by decision, then severity.
  struct Bin: Equatable {
    /// The number of the bin since 1970, in units of ``width``.
    var index: Int64
    var counts = [UInt64](repeating: 0, count: 3 * Severity.allCases.count)

    init(index: Int64) { self.index = index }

    mutating func add(_ other: Bin) {
      for place in counts.indices { counts[place] += other.counts[place] }
    }
  }

  /// The largest number of bins that are held.
  static let limit = 4096
  /// The largest number of columns of a strip.
  static let columns = 72
  private static let hour: Int64 = 3_600_000
  /// The last time that a browser can represent, in milliseconds since 1970. Later times are
  /// counted there.
  private static let farthest: Int64 = 8_640_000_000_000_000
  /// The widths of bins that people read easily, in hours.
  private static let widths: [Int64] = [1, 2, 3, 6, 12, 24, 7 * 24, 28 * 24, 364 * 24]

  /// The bins in ascending order.
  private(set) var bins: [Bin] = []
  /// The hours of one bin.
  private(set) var width: Int64 = 1
  /// The number of findings without a time.
  private(set) var timeless: UInt64 = 0

  /// Returns the index of a decision and severity in ``Bin/counts``.
  static func place(_ decision: Decision, _ severity: Severity) -> Int {
    Int(decision.rawValue) * Severity.allCases.count + Int(severity.rawValue)
  }

  /// Takes a finding. The times of the findings ascend.
  mutating func add(_ finding: Finding) {
    guard let time = finding.time else {
      timeless += 1
      return
    }
    let bounded = max(-Self.farthest, min(Self.farthest, time))
    let index = Self.divide(bounded, Self.hour * width)
    if bins.last?.index != index { bins.append(Bin(index: index)) }
    bins[bins.count - 1].counts[Self.place(finding.decision, finding.severity)] += 1
    if bins.count > Self.limit { widen() }
  }

  /// A strip of at most ``columns`` bins around nearly all findings.
  struct Strip {
    /// The time at which the first column begins, in milliseconds since 1970.
    var start: Int64
    /// The duration of a column, in milliseconds.
    var width: Int64
    /// The counts by column, then as in ``Bin/counts``.
    var columns: [[UInt64]]
    /// The number of findings with a time outside the strip.
    var outside: UInt64
  }

  /// Returns the strip, or nil if no finding has a time.
  ///
  /// One finding in a thousand at either end may be outside, so that a single record with a wrong
  /// clock does not flatten a day.
  func strip() -> Strip? {
    let totals = bins.map { $0.counts.reduce(0, +) }
    let total = totals.reduce(0, +)
    guard total > 0 else { return nil }
    var low = 0
    var high = bins.count - 1
    var outside: UInt64 = 0
    let spare = total / 1000
    var left = spare
    while low < high, totals[low] <= left {
      left -= totals[low]
      outside += totals[low]
      low += 1
    }
    var right = spare
    while high > low, totals[high] <= right {
      right -= totals[high]
      outside += totals[high]
      high -= 1
    }
    let first = bins[low].index * width
    let last = bins[high].index * width + width - 1
    let unit =
      Self.widths.first {
        $0 % width == 0 && Self.divide(last, $0) - Self.divide(first, $0) < Int64(Self.columns)
      } ?? max(width, (last - first) / Int64(Self.columns - 1) + 1)
    let start = Self.divide(first, unit)
    let count = Int(Self.divide(last, unit) - start) + 1
    var columns = [[UInt64]](
      repeating: [UInt64](repeating: 0, count: 3 * Severity.allCases.count), count: count)
    for bin in bins[low...high] {
      let column = Int(Self.divide(bin.index * width, unit) - start)
      for place in bin.counts.indices { columns[column][place] += bin.counts[place] }
    }
    return Strip(
      start: start * unit * Self.hour, width: unit * Self.hour, columns: columns, outside: outside)
  }

  /// Doubles the width until half of the bins are free.
  private mutating func widen() {
    while bins.count > Self.limit / 2 {
      width *= 2
      var wider: [Bin] = []
      for bin in bins {
        let index = Self.divide(bin.index, 2)
        if wider.last?.index != index { wider.append(Bin(index: index)) }
        wider[wider.count - 1].add(bin)
      }
      bins = wider
    }
  }

  /// Returns the quotient, rounded down.
  private static func divide(_ value: Int64, _ by: Int64) -> Int64 {
    let quotient = value / by
    return value % by < 0 ? quotient - 1 : quotient
  }
}
