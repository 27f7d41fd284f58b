internal import AppAttest

/// The events of earlier runs with one hash, in the order of time, for challenges that come late.
struct KeptEvents {
  /// The number of events of one hash that are examined: honest ones are one or two.
  static let limit = 4096

  private var events: [(time: Int64, position: Position)] = []
  private var isSorted = false
  /// The first one that was not given yet.
  private var index = 0

  /// Whether there are more than are examined.
  private(set) var passesOver = false

  /// Adds an event; more than are examined are passed over.
  mutating func add(_ event: KeptRecord) {
    if events.count < Self.limit {
      events.append((event.time, event.position))
    } else {
      passesOver = true
    }
  }

  /// Returns the next event before `time`, which ascends, in the order of (time, position).
  mutating func next(before time: Int64) -> (time: Int64, position: Position)? {
    if !isSorted, events.count > 1 {
      isSorted = true
      events.sort { ($0.time, $0.position) < ($1.time, $1.position) }
    }
    guard index < events.count, events[index].time < time else { return nil }
    defer { index += 1 }
    return events[index]
  }

  /// Forgets all of them.
  mutating func removeAll() {
    events.removeAll(keepingCapacity: true)
    isSorted = false
    passesOver = false
    index = 0
  }
}
