package import AppAttest
package import AuditEngine

/// Events in order of time.
package struct Timeline: Sendable {
  package static let limit = 1_000_000

  let reorderTolerance: Int64
  /// Whether it is of a report, and the state of the run knew events of earlier runs.
  package private(set) var isOfOneNight = false
  /// The events in order of time, those without one first.
  package private(set) var events: [TimelineEvent] = []
  /// The number of events that came when the timeline was full.
  package private(set) var omitted: UInt64 = 0

  package init(_ report: StoredReport, _ query: TimelineQuery) throws {
    reorderTolerance = report.reorderTolerance
    isOfOneNight = report.summary.hasState
    try EventsReader(report).forEachEvent(query) { add($0) }
    sort()
  }

  package init(
    _ result: any AuditResult, _ query: TimelineQuery,
    reorderTolerance: Int64 = DetectionPolicy().reorderTolerance
  ) throws {
    self.reorderTolerance = reorderTolerance
    let sources = SourceNames(result)
    var query = query
    try result.forEachEvents { events in
      try events.each { row in
        let event = TimelineEvent(row, sources: sources)
        if query.takes(event) { add(event) }
      }
    }
    sort()
  }

  init(
    _ events: [TimelineEvent], reorderTolerance: Int64 = DetectionPolicy().reorderTolerance
  ) {
    self.reorderTolerance = reorderTolerance
    self.events = events
    sort()
  }

  private mutating func add(_ event: TimelineEvent) {
    if events.count < Self.limit { events.append(event) } else { omitted += 1 }
  }

  /// Sorts the events by time. Events of one moment stay in order of key, input and line.
  private mutating func sort() {
    let order = events.indices.sorted { left, right in
      let (before, after) = (events[left].time ?? .min, events[right].time ?? .min)
      return before != after ? before < after : left < right
    }
    events = order.map { events[$0] }
  }

  /// The keys of the events, each once, in order of their first event.
  package var keys: [Digest256] {
    var seen = Set<Digest256>()
    return events.compactMap(\.keyID).filter { seen.insert($0).inserted }
  }
}
