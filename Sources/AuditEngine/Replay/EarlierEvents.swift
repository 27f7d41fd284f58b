internal import AppAttest

/// The events of earlier runs with one hash, to be looked at again in the order of time: a challenge
/// that a log brings late may stand in front of them.
struct EarlierEvents {
  /// How many events of one hash are looked at: honest ones are one or two.
  static let limit = 4096

  private var events: [RememberedRecord] = []
  private var isSorted = false
  /// The first one that was not given yet.
  private var index = 0

  /// Adds an event, those of one position in the order of what was remembered.
  mutating func add(_ event: RememberedRecord) {
    // Of other hashes than those of 32 bytes only the digest is remembered.
    guard events.count < Self.limit, event.hashLength == Digest256.byteCount else { return }
    events.append(event)
  }

  /// Forgets an event that this run judges itself.
  mutating func remove(_ position: Position) {
    events.removeAll { $0.position == position }
  }

  /// The next event before `time`, in the order of (time, position); the times asked for ascend.
  /// Of several records of one event only the last says what it is.
  mutating func next(before time: Int64) -> (event: RememberedRecord, isLast: Bool)? {
    guard !events.isEmpty else { return nil }
    if !isSorted {
      isSorted = true
      let order = events.indices.sorted {
        (events[$0].time, events[$0].position, $0) < (events[$1].time, events[$1].position, $1)
      }
      events = order.map { events[$0] }
    }
    guard index < events.count, events[index].time < time else { return nil }
    defer { index += 1 }
    let isLast =
      index + 1 == events.count || events[index + 1].position != events[index].position
    return (events[index], isLast)
  }

  /// Forgets all of them.
  mutating func removeAll() {
    events.removeAll(keepingCapacity: true)
    isSorted = false
    index = 0
  }
}
