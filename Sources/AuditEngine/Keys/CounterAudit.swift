/// The counters of one key, event by event (`detection.md`, "Counters").
///
/// Memory: the counters seen; one entry for each millisecond of `reorderTolerance`; and the key's
/// last 65,536 assertions.
struct CounterAudit {
  /// How many assertions back the first carrier of a repeated counter is still named.
  static let memory = 65_536

  private let gap: UInt32
  private var seen: CounterSet
  private var highs: CounterHighs
  private var recent = RecentCarriers()

  /// The known keys' counter: seen, but not in these logs until it turns up there.
  private let importedCounter: UInt32?
  private var importedWasSeen = false

  /// Whether earlier runs are known of.
  private let hasPast: Bool
  /// What earlier runs know was reached, in the order of time.
  private var past: [RememberedKey.High] = []
  private var nextPast = 0
  private let knowsBeginning: Bool
  /// What the highs are without the records of this run; nil as long as there was none.
  private var earlier: CounterHighs?
  /// What the server may have stored; and the same without the records of this run.
  private var stored: StoredCounters
  private var storedEarlier: StoredCounters?

  private(set) var lowest: UInt32?
  private(set) var highest: UInt32?
  private(set) var distinct: UInt64 = 0

  /// `lastCounter`: where the key stood before these logs began; `past`: what earlier runs know,
  /// against which `lastCounter` counts only where it is higher.
  init(policy: DetectionPolicy, lastCounter: UInt32?, past: CounterPast? = nil) {
    gap = policy.counterGap
    highs = CounterHighs(tolerance: policy.reorderTolerance)
    stored = StoredCounters(tolerance: policy.reorderTolerance)
    hasPast = past != nil
    knowsBeginning = past?.knowsBeginning ?? true
    seen = CounterSet(past?.seen ?? [])
    var lastCounter = lastCounter
    if let past {
      self.past = past.highs.sorted { Self.precedes($0, $1.time, $1.counter, $1.position) }
      if let reached = past.highs.map(\.counter).max(), reached >= lastCounter ?? 0 {
        lastCounter = nil
      }
    }
    importedCounter = lastCounter
    if let lastCounter {
      highs.rise(to: lastCounter, time: RememberedKey.High.beforeAll, at: nil)
      stored = StoredCounters(tolerance: policy.reorderTolerance, start: lastCounter)
      _ = seen.insert(lastCounter)
    }
  }

  /// Whether a record of this run was taken beside those of earlier ones.
  var hasRecords: Bool { earlier != nil }

  /// The highest counter so far.
  var expected: UInt32 { highs.expected }

  /// Whether `expected` is the highest counter so far: not before the first that earlier runs know
  /// of, whose key was used before.
  var isExpectedKnown: Bool { knowsBeginning || nextPast > 0 }

  /// Numbers between the lowest and the highest counter that were never seen; nil where no
  /// signature held.
  var missing: UInt64? {
    guard let lowest, let highest else { return nil }
    let all = UInt64(highest - lowest) + 1
    guard hasPast else { return all - distinct }
    var known = seen.count(in: lowest...highest)
    if let importedCounter, !importedWasSeen, (lowest...highest).contains(importedCounter) {
      known -= 1
    }
    return all - known
  }

  /// Takes what earlier runs know was reached before an event.
  mutating func advance(to time: Int64, _ counter: UInt32, at position: Position) {
    while nextPast < past.count, Self.precedes(past[nextPast], time, counter, position) {
      let high = past[nextPast]
      highs.rise(to: high.counter, time: high.time, at: high.position)
      earlier?.rise(to: high.counter, time: high.time, at: high.position)
      stored.rise(to: high.counter, time: high.time)
      storedEarlier?.rise(to: high.counter, time: high.time)
      nextPast += 1
    }
  }

  /// Compares the counter that the server had stored before an event with those that it may have:
  /// nil where it is one of them, or they are not known. To be asked in front of the event.
  mutating func mismatch(_ stored: UInt32, at time: Int64) -> HashRow.ServerMismatch? {
    guard isExpectedKnown, !self.stored.mayBe(stored, at: time) else { return nil }
    return HashRow.ServerMismatch(expected: self.stored.expected, stored: stored)
  }

  /// Compares it with those that it may have had without the records of this run.
  mutating func earlierMismatch(_ stored: UInt32, at time: Int64) -> Bool {
    guard isExpectedKnown, var earlier = storedEarlier else { return false }
    defer { storedEarlier = earlier }
    return !earlier.mayBe(stored, at: time)
  }

  private static func precedes(
    _ high: RememberedKey.High, _ time: Int64, _ counter: UInt32, _ position: Position?
  ) -> Bool {
    if high.time != time { return high.time < time }
    if high.counter != counter { return high.counter < counter }
    guard let before = high.position else { return position != nil }
    return position.map { before < $0 } ?? false
  }

  /// Takes the next assertion whose signature held and returns what is to be said of its counter,
  /// unless it is an exact replay. `attestation` is the key's first valid one.
  mutating func take(
    _ counter: UInt32, time: Int64, at position: Position, attestation: Position?,
    isRejected: Bool = false
  ) -> HashRow.Tentative? {
    if hasPast {
      advance(to: time, counter, at: position)
      if earlier == nil { (earlier, storedEarlier) = (highs, stored) }
    }
    if !isRejected { stored.rise(to: counter, time: time) }
    let before = highs.expected
    let carrier = highs.carrier
    let isNew = seen.insert(counter)
    count(counter, isNew: isNew)
    // What first carried the known keys' counter lies before these logs.
    defer { recent.append(counter, position, isFirst: isNew) }
    if counter == 0 {
      let related = before == 0 ? attestation : carrier
      return .init(code: .counterRegression, expected: before, related: related)
    }
    if !isNew {
      // An event later in time may have carried it in an earlier run.
      highs.rise(to: counter, time: time, at: position)
      return .init(
        code: .counterRepeated, expected: before, related: recent.first(carrying: counter))
    }
    let code = highs.judge(counter, time: time, gap: isExpectedKnown ? gap : 0)
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

  // MARK: From run to run

  /// What is to be said of an assertion of an earlier run, by what that run knew and by what is
  /// known now.
  struct Judgement {
    /// Nil as well where the counter came before: that stands.
    var code: FindingCode?
    var expected: UInt32
    var carrier: Position?
  }

  /// Takes the next assertion that an earlier run judged; `isRepeated`: its counter came before.
  /// Returns what was and what is to be said of its counter, where records of this run stand before
  /// it.
  mutating func take(
    kept counter: UInt32, time: Int64, at position: Position, isRepeated: Bool,
    isRejected: Bool = false
  ) -> (before: Judgement, now: Judgement)? {
    advance(to: time, counter, at: position)
    defer {
      recent.append(counter, position, isFirst: !isRepeated && counter > 0)
      highs.rise(to: counter, time: time, at: position)
      earlier?.rise(to: counter, time: time, at: position)
      if !isRejected {
        stored.rise(to: counter, time: time)
        storedEarlier?.rise(to: counter, time: time)
      }
    }
    guard counter > 0, !isRepeated, var earlier else { return nil }
    let before = judge(counter, time, &earlier)
    self.earlier = earlier
    let now = judge(counter, time, &highs)
    return (before, now)
  }

  private func judge(
    _ counter: UInt32, _ time: Int64, _ highs: inout CounterHighs
  ) -> Judgement {
    let (expected, carrier) = (highs.expected, highs.carrier)
    let code = highs.judge(counter, time: time, gap: isExpectedKnown ? gap : 0)
    return Judgement(code: code, expected: expected, carrier: carrier)
  }

  /// What later runs are to know of the highest counters; called behind the last event.
  mutating func rememberedHighs() -> [RememberedKey.High] {
    advance(to: .max, .max, at: Position(source: .max, line: .max))
    return highs.remembered
  }

  /// The counters seen, in this run and before.
  var rememberedSeen: [ClosedRange<UInt32>] { seen.ranges }
}

/// Which of a key's last assertions first carried a counter.
private struct RecentCarriers {
  /// The counter of an assertion that was the first to carry it; nil where it was not.
  private var counters: [UInt32?] = []
  private var positions: [Position] = []
  private var next = 0
  /// The places of the counters; made when it is first asked for, since most keys never do.
  private var places: [UInt32: Int]?

  mutating func append(_ counter: UInt32, _ position: Position, isFirst: Bool) {
    let entry = isFirst ? counter : nil
    if counters.count < CounterAudit.memory {
      counters.append(entry)
      positions.append(position)
    } else {
      if let old = counters[next] { places?[old] = nil }
      counters[next] = entry
      positions[next] = position
    }
    if let entry { places?[entry] = next }
    next = (next + 1) % CounterAudit.memory
  }

  mutating func first(carrying counter: UInt32) -> Position? {
    let places = self.places ?? makePlaces()
    return places[counter].map { positions[$0] }
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
