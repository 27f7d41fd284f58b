internal import AppAttest

/// The events of earlier runs with one hash, to be looked at again in the order of time: a challenge
/// that a log brings late may stand in front of them.
struct EarlierEvents {
  /// How many events of one hash are looked at: honest ones are one or two.
  static let limit = 4096

  private var events: [(record: RememberedRecord, isJudged: Bool)] = []
  private var isSorted = false
  /// The first one that was not given yet.
  private var index = 0
  /// Whether there are events that were passed over: more than are looked at, or, since only their
  /// digest is remembered, with another hash than one of 32 bytes.
  private(set) var passesOver = false

  /// Adds an event, those of one position in the order of what was remembered.
  mutating func add(_ event: RememberedRecord) {
    guard events.count < Self.limit else {
      passesOver = true
      return
    }
    events.append((event, false))
  }

  /// Passes an event that this run judges itself, of a time that was not asked for yet.
  mutating func pass(_ position: Position, time: Int64) {
    sort()
    var (from, to) = (index, events.count)
    while from < to {
      let middle = (from + to) / 2
      let record = events[middle].record
      if (record.time, record.position) < (time, position) {
        from = middle + 1
      } else {
        to = middle
      }
    }
    while from < events.count, events[from].record.position == position {
      events[from].isJudged = true
      from += 1
    }
  }

  /// The next event before `time`, in the order of (time, position); the times asked for ascend.
  /// Of several records of one event only the last says what it is.
  mutating func next(before time: Int64) -> (event: RememberedRecord, isLast: Bool)? {
    sort()
    while index < events.count, events[index].record.time < time {
      defer { index += 1 }
      let (record, isJudged) = events[index]
      if isJudged { continue }
      guard record.hashLength == Digest256.byteCount else {
        passesOver = true
        continue
      }
      let isLast =
        index + 1 == events.count || events[index + 1].record.position != record.position
      return (record, isLast)
    }
    return nil
  }

  private mutating func sort() {
    guard !isSorted, events.count > 1 else { return }
    isSorted = true
    let order = events.indices.sorted {
      let (a, b) = (events[$0].record, events[$1].record)
      return (a.time, a.position, $0) < (b.time, b.position, $1)
    }
    events = order.map { events[$0] }
  }

  /// Forgets all of them.
  mutating func removeAll() {
    events.removeAll(keepingCapacity: true)
    isSorted = false
    passesOver = false
    index = 0
  }
}
