internal import AppAttest
internal import AuditEngine

/// Every request of the keys that the page draws, if the report has an index.
struct PageHistory {
  /// The largest number of requests of a key that are held, and that are drawn.
  static let limit = 4_000
  static let drawn = 240

  struct Plot {
    var points: [CounterPlot.Point]
    var builds: KeyBuilds
    /// The number of requests with a counter, drawn or not.
    var requests: UInt64
    /// The first request of a second rising sequence, among ``points``.
    var fork: CounterPlot.Point?
  }

  private var events: [Digest256: [TimelineEvent]]
  private var requests: [Digest256: UInt64] = [:]
  private let reorderTolerance: Int64

  init(
    _ keys: [Digest256], reorderTolerance: Int64 = DetectionPolicy().reorderTolerance
  ) {
    self.reorderTolerance = reorderTolerance
    events = Dictionary(keys.map { ($0, []) }) { first, _ in first }
  }

  func wants(_ keyID: Digest256?) -> Bool { keyID.map { events[$0] != nil } ?? false }

  /// Takes the next event of one of the keys, in order of time.
  mutating func add(_ event: TimelineEvent) {
    guard let keyID = event.keyID, event.counter != nil, event.time != nil else { return }
    requests[keyID, default: 0] += 1
    if events[keyID]?.count ?? Self.limit < Self.limit { events[keyID]?.append(event.plotted) }
  }

  func plot(of keyID: Digest256) -> Plot? {
    guard let events = events[keyID],
      let plot = CounterPlot(Timeline(events, reorderTolerance: reorderTolerance), key: keyID)
    else { return nil }
    let fork = plot.fork.flatMap { fork in plot.points.first { $0.index == fork.first } }
    return Plot(
      points: Self.thinned(plot.points, keeping: fork), builds: plot.builds,
      requests: requests[keyID] ?? 0, fork: fork)
  }

  /// Leaves out points evenly if they are too many, but not the first of a fork.
  private static func thinned(
    _ points: [CounterPlot.Point], keeping fork: CounterPlot.Point?
  ) -> [CounterPlot.Point] {
    guard points.count > drawn else { return points }
    return points.indices.filter { index in
      index * drawn / points.count != (index - 1) * drawn / points.count || index == 0
        || points[index].index == fork?.index
    }.map { points[$0] }
  }
}
