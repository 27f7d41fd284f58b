/// A choice between several times of a line: an access log's in seconds, the server's in
/// milliseconds, the shipper's a moment later.
///
/// Of times that keep pace with the best one the finest counts, and of these the earliest, since a
/// request is handled before anyone logs it.
struct TimeChoice {
  /// The time that counts.
  private let place: TimeSearch.Place
  /// The reason, as words before the name of the other time: `finer than`.
  let reason: String

  /// The largest number of lines that are compared.
  private static let limit = 400
  /// The largest distance between times of one line, in milliseconds.
  private static let nearby: Int64 = 10_000
  /// The distance below which times are the same, in milliseconds.
  private static let same: Int64 = 2
  private static let quarter: Int64 = 15 * 60_000
  /// The share of the lines on which the times have to be near, in percent.
  private static let leastPercent = 98

  private let lines: [SampleLine]

  /// Chooses between places.
  ///
  /// - Parameter places: At least one, the best first.
  init(_ places: [TimeSearch.Place], of all: [SampleLine], _ pointers: PointerTable) {
    let lines = all.spread(Self.limit)
    self.lines = lines
    let best = places[0]
    let isFine = Self.isFine(best, lines)
    // A finer clock counts whatever its name, unless it is another's.
    let beside = places.dropFirst().filter {
      let name = pointers.meaning($0.pointer)
      return !name.contains(WordLists.foreignTimes)
        && (!isFine || name.contains(WordLists.timeWords) || name.isOne(WordLists.shortTimes))
    }.compactMap { place -> (place: TimeSearch.Place, earlier: Int64)? in
      guard Self.isFine(place, lines), let earlier = Self.earlier(place, than: best, lines),
        !isFine || earlier > Self.same
      else { return nil }
      return (place, earlier)
    }
    // The first of the equal ones has the best score.
    let earliest = beside.max { ($0.earlier / Self.same) < ($1.earlier / Self.same) }
    let first = beside.first { abs($0.earlier - (earliest?.earlier ?? 0)) <= Self.same }
    place = first?.place ?? best
    reason = isFine ? "earlier than" : "finer than"
  }

  /// Returns the time that counts, with day and month in the order that fits more lines and tokens,
  /// and a remark if nothing tells the order.
  func ordered(_ clock: TokenClock) -> (place: TimeSearch.Place, remark: String) {
    guard let twin = place.form?.twin else { return (place, "") }
    var other = place
    other.form = twin
    func rank(_ place: TimeSearch.Place) -> (lines: Int, fits: Int) {
      (
        lines.count { place.time(of: $0) != nil },
        clock.fits(lacksZone: twin.lacksZone, place.time)
      )
    }
    let (own, others) = (rank(place), rank(other))
    return own < others
      ? (other, "") : (place, own == others ? ", the order of day and month is a guess" : "")
  }

  /// Returns whether a time distinguishes events within one second.
  func isFine(_ place: TimeSearch.Place) -> Bool { Self.isFine(place, lines) }

  private static func isFine(_ place: TimeSearch.Place, _ lines: [SampleLine]) -> Bool {
    lines.count { (place.time(of: $0) ?? 0) % 1000 != 0 } * 2 > lines.count
  }

  /// Returns the median over the lines of the time by which one time is earlier than another, in
  /// milliseconds. Returns nil if the two do not keep pace. Between clocks whose zones are not
  /// known quarters of an hour do not count.
  private static func earlier(
    _ place: TimeSearch.Place, than other: TimeSearch.Place, _ lines: [SampleLine]
  ) -> Int64? {
    let lacksZone = [place, other].contains { $0.form?.lacksZone ?? false }
    let differences = lines.compactMap { line -> Int64? in
      guard let time = place.time(of: line), let later = other.time(of: line) else { return nil }
      let quarters =
        lacksZone ? Int64((Double(later - time) / Double(quarter)).rounded()) : 0
      return later - time - quarters * quarter
    }.sorted()
    let near = differences.count { abs($0) <= nearby }
    guard !differences.isEmpty, near * 100 >= lines.count * leastPercent else { return nil }
    return differences[differences.count / 2]
  }
}

extension Array {
  /// Returns at most so many of the elements, evenly from all of them.
  func spread(_ limit: Int) -> [Element] {
    count <= limit ? self : (0..<limit).map { self[$0 * count / limit] }
  }
}
