/// The counters of one key (`detection.md`, "Counters"). Memory: the counters seen, the highs of
/// `reorderTolerance` (``CounterHighs``), and the last 65,536 assertions.
struct CounterAudit {
  /// The number of assertions back that the first carrier of a repeated counter is still named.
  static let memory = 65_536

  private let gap: UInt32
  private var seen: CounterSet
  private var highs: CounterHighs
  /// The counters that the server may have stored, or nil if they are all that were reached.
  private var stored: CounterHighs?
  private var recent = RecentCarriers()
  private var last: (event: Event, said: Findings)?

  /// The known keys' counter: seen, but not in these logs until it turns up there.
  private let importedCounter: UInt32?
  private var importedWasSeen = false

  /// The counters reached before the events at hand, in the order of time.
  private let past: [KeptKey.High]
  private var nextPast = 0
  private let pastStored: [KeptKey.High]
  private var nextStored = 0
  private let countsPast: Bool
  private let isAttested: Bool
  /// Whether the server has stored a counter since: a rejected request tells nothing.
  private var isStored = false

  private(set) var lowest: UInt32?
  private(set) var highest: UInt32?
  private(set) var distinct: UInt64 = 0

  /// Makes the audit from what was known before, and from a list's word for the last counter. Of a key that is not
  /// `isAttested`, in these logs or earlier, no counter is expected before its first one.
  init(
    policy: DetectionPolicy, past: CounterPast = CounterPast(), lastCounter: UInt32? = nil,
    isAttested: Bool = true
  ) {
    self.isAttested = isAttested
    gap = policy.counterGap
    highs = CounterHighs(tolerance: policy.reorderTolerance)
    var past = past
    let isNews = lastCounter.map { last in past.highs.allSatisfy { $0.counter < last } } ?? false
    importedCounter = isNews ? lastCounter : nil
    countsPast = !past.seen.isEmpty
    if let lastCounter { past.take(lastCounter: lastCounter) }
    seen = CounterSet(past.seen)
    self.past = past.highs.sorted { Self.precedes($0, $1.time, $1.counter, $1.position) }
    pastStored = past.stored.sorted { ($0.time, $0.counter) < ($1.time, $1.counter) }
    // Where what was stored is not known, it is taken for what was seen.
    if !pastStored.isEmpty { stored = CounterHighs(tolerance: policy.reorderTolerance) }
  }

  var expected: UInt32 { highs.expected }

  /// Whether the highest counter so far is known: not of a key that was used before (`detection.R14`).
  private var isExpectedKnown: Bool {
    past.isEmpty ? isAttested || isStored : nextPast > 0
  }

  /// Returns how many numbers in a range, of all assertions if `isAll`, were never seen. `again` judged others.
  func missing(in range: ClosedRange<UInt32>, isAll: Bool, and again: CounterAudit? = nil) -> UInt64
  {
    let all = UInt64(range.upperBound - range.lowerBound) + 1
    if isAll, !countsPast, again == nil { return all - distinct }
    let seen = again.map { CounterSet(self.seen.ranges + $0.seen.ranges) } ?? self.seen
    var known = seen.count(in: range)
    if let importedCounter, !importedWasSeen, again?.importedWasSeen != true,
      range.contains(importedCounter)
    {
      known -= 1
    }
    return all - known
  }

  var missing: UInt64? {
    guard let lowest, let highest else { return nil }
    return missing(in: lowest...highest, isAll: true)
  }

  private mutating func advance(to time: Int64, _ counter: UInt32, at position: Position) {
    while nextPast < past.count, Self.precedes(past[nextPast], time, counter, position) {
      let high = past[nextPast]
      highs.rise(to: high.counter, time: high.time, at: high.position)
      nextPast += 1
    }
    while nextStored < pastStored.count, pastStored[nextStored].time <= time {
      let high = pastStored[nextStored]
      stored?.rise(to: high.counter, time: high.time, at: nil)
      nextStored += 1
    }
  }

  private static func precedes(
    _ high: KeptKey.High, _ time: Int64, _ counter: UInt32, _ position: Position?
  ) -> Bool {
    if high.time != time { return high.time < time }
    if high.counter != counter { return high.counter < counter }
    guard let before = high.position else { return position != nil }
    return position.map { before < $0 } ?? false
  }

  /// An assertion whose signature held.
  struct Event {
    var counter: UInt32
    var time: Int64
    var position: Position
    /// Whether the server rejected it, and so stored nothing.
    var isRejected = false
    /// The counter that the server had stored before it, where the log has it.
    var stored: UInt32?
    /// Equal for the same assertion.
    var identity: Digest128?

    func isSame(as other: Event) -> Bool {
      counter == other.counter && time == other.time && identity != nil
        && identity == other.identity
    }
  }

  /// The findings about the counters of an event that stand unless it is an exact replay.
  typealias Findings = (tentative: HashRow.Tentative?, mismatch: HashRow.ServerMismatch?)

  /// Takes the next assertion and returns what is to be reported of its counters. `attestation` is the key's first valid
  /// one. Of the same assertion at the same time it is the same: which of the two is the exact replay is decided elsewhere.
  mutating func take(_ event: Event, attestation: EventPlace?) -> Findings {
    let (counter, time, position) = (event.counter, event.time, event.position)
    advance(to: time, counter, at: position)
    var mismatch: HashRow.ServerMismatch?
    if let said = event.stored, isExpectedKnown,
      !(stored?.mayHaveBeen(said, at: time) ?? highs.mayHaveBeen(said, at: time))
    {
      mismatch = HashRow.ServerMismatch(
        expected: stored?.expected ?? highs.expected, stored: said)
    }
    defer { isStored = isStored || !event.isRejected }
    if !event.isRejected {
      stored?.rise(to: counter, time: time, at: nil)
    } else if stored == nil {
      stored = highs
    }
    if let last, last.event.isSame(as: event) { return last.said }
    let said = (judge(event, attestation), mismatch)
    last = (event, said)
    return said
  }

  private mutating func judge(_ event: Event, _ attestation: EventPlace?) -> HashRow.Tentative? {
    let (counter, time, position) = (event.counter, event.time, event.position)
    let before = highs.expected
    let carrier = highs.carrier
    let gap = isExpectedKnown || lowest != nil ? gap : 0
    let isNew = seen.insert(counter)
    count(counter, isNew: isNew)
    // What first carried the known keys' counter lies before these logs.
    defer { recent.append(counter, EventPlace(position: position, time: time), isFirst: isNew) }
    if counter == 0 {
      let related = before == 0 ? attestation : carrier
      return .init(code: .counterRegression, expected: before, related: related)
    }
    if !isNew {
      // An event later in time may have carried it, and left the events at hand.
      highs.rise(to: counter, time: time, at: position)
      return .init(
        code: .counterRepeated, expected: before, related: recent.first(carrying: counter))
    }
    let code = highs.judge(counter, time: time, gap: gap)
    highs.rise(to: counter, time: time, at: position)
    return code.map {
      .init(code: $0, expected: before, related: $0 == .counterGap ? nil : carrier)
    }
  }

  private mutating func count(_ counter: UInt32, isNew: Bool) {
    lowest = min(lowest ?? counter, counter)
    highest = max(highest ?? counter, counter)
    let isImported = counter == importedCounter && !importedWasSeen
    if isImported { importedWasSeen = true }
    if isNew || isImported { distinct += 1 }
  }

  /// Returns the knowledge of the counters behind the last event.
  mutating func remembered() -> CounterPast {
    advance(to: .max, .max, at: .last)
    var result = CounterPast()
    result.highs = highs.remembered
    result.stored = (stored ?? highs).steps
    if result.stored.isEmpty, !result.highs.isEmpty {
      // Nothing was stored so far: that is known, too.
      result.stored = [KeptKey.High(time: KeptKey.High.beforeAll, counter: 0)]
    }
    result.seen = seen.ranges
    return result
  }
}

/// The assertions, among a key's last ones, that first carried a counter.
private struct RecentCarriers {
  /// The counter of an assertion that was the first to carry it, or nil if it was not.
  private var counters: [UInt32?] = []
  private var events: [EventPlace] = []
  private var next = 0
  /// The places of the counters; made when it is first asked for, since most keys never do.
  private var places: [UInt32: Int]?

  mutating func append(_ counter: UInt32, _ event: EventPlace, isFirst: Bool) {
    let entry = isFirst ? counter : nil
    if counters.count < CounterAudit.memory {
      counters.append(entry)
      events.append(event)
    } else {
      if let old = counters[next] { places?[old] = nil }
      counters[next] = entry
      events[next] = event
    }
    if let entry { places?[entry] = next }
    next = (next + 1) % CounterAudit.memory
  }

  mutating func first(carrying counter: UInt32) -> EventPlace? {
    let places = self.places ?? makePlaces()
    return places[counter].map { events[$0] }
  }

  private mutating func makePlaces() -> [UInt32: Int] {
    var made: [UInt32: Int] = [:]
    for (place, counter) in counters.enumerated() {
      if let counter { made[counter] = place }
    }
    places = made
    return made
  }
}
