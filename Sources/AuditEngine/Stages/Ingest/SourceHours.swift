/// The records of one source by hour of their time: in which hours it is silent.
package struct SourceHours: Sendable, Equatable {
  /// The most hours that are told apart for one source, and for all sources together.
  package static let limit = 4_400
  private static let limitOfAll = 250_000
  private static let hour: Int64 = 3_600_000
  /// The last hour that a browser knows; records beyond stand there.
  private static let farthest: Int64 = 2_400_000_000

  /// The number of records by hour since 1970, or nil for too many hours.
  private var counts: [Int64: UInt64]? = [:]
  /// The hour of the last record, and how many records in a row are of it.
  private var last: (hour: Int64, count: UInt64) = (0, 0)

  package init() {}

  /// Makes those with so many records in each hour.
  init(_ counts: [Int64: UInt64]) { self.counts = counts }

  package static func == (left: SourceHours, right: SourceHours) -> Bool {
    left.sorted.elementsEqual(right.sorted) { $0 == $1 }
  }

  /// Returns how many hours may be told apart for each of so many sources.
  static func limit(sources: Int) -> Int { max(48, min(limit, limitOfAll / max(1, sources))) }

  /// Adds a record; `time` is milliseconds since 1970.
  @inline(__always)
  package mutating func add(time: Int64) {
    let quotient = time / Self.hour
    let hour = time < quotient * Self.hour ? quotient - 1 : quotient
    if last.hour != hour { settle(hour) }
    last.count += 1
  }

  private mutating func settle(_ hour: Int64) {
    let counted = max(-Self.farthest, min(Self.farthest, last.hour))
    if last.count > 0 { counts?[counted, default: 0] += last.count }
    last = (hour, 0)
  }

  /// Adds what another part of the source has; which part comes first makes no difference.
  mutating func add(_ other: SourceHours, limit: Int) {
    // A small file has records of one hour, and needs no table.
    if isOfOneHour, other.isOfOneHour,
      last.count == 0 || other.last.count == 0 || last.hour == other.last.hour
    {
      last = (other.last.count > 0 ? other.last.hour : last.hour, last.count + other.last.count)
      return
    }
    settle(0)
    let added = other.settled
    guard added != nil else {
      counts = nil
      return
    }
    for (hour, count) in added ?? [:] { counts?[hour, default: 0] += count }
    if counts?.count ?? 0 > limit { counts = nil }
  }

  private var isOfOneHour: Bool { counts?.isEmpty ?? false }

  private var settled: [Int64: UInt64]? {
    var copy = self
    copy.settle(0)
    return copy.counts
  }

  /// The hours with records, ascending, or an empty list if they are too many.
  package var sorted: [(hour: Int64, count: UInt64)] {
    (settled ?? [:]).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
