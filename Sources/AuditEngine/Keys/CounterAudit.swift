/// The counters of one key, event by event (`detection.md`, "Counters").
///
/// Memory: the counters seen; one entry for each millisecond of `reorderTolerance`; and the key's
/// last 65,536 assertions.
struct CounterAudit {
  /// How many assertions back the first carrier of a repeated counter is still named.
  static let memory = 65_536

  private let tolerance: Int64
  private let gap: UInt32
  private var seen = CounterSet()
  /// The highest counter so far.
  private(set) var expected: UInt32 = 0
  /// The event that carried `expected`; nil where that is 0 or comes from a list of known keys.
  private var carrier: Position?
  /// The running highs of the last `tolerance` milliseconds, at most one for each: what was the
  /// highest counter once that millisecond was over.
  private var highs: [(time: Int64, counter: UInt32)] = []
  private var firstHigh = 0
  /// The highest counter that was reached longer ago than that.
  private var olderHigh: UInt32
  private var recent = RecentCarriers()

  /// The known keys' counter: seen, but not in these logs until it turns up there.
  private let importedCounter: UInt32?
  private var importedWasSeen = false

  private(set) var lowest: UInt32?
  private(set) var highest: UInt32?
  private(set) var distinct: UInt64 = 0

  /// `lastCounter`: where the key stood before these logs began.
  init(policy: DetectionPolicy, lastCounter: UInt32?) {
    tolerance = policy.reorderTolerance
    gap = policy.counterGap
    expected = lastCounter ?? 0
    olderHigh = expected
    if let lastCounter { _ = seen.insert(lastCounter) }
    importedCounter = lastCounter
  }

  /// Numbers between the lowest and the highest counter that were never seen; nil where no
  /// signature held.
  var missing: UInt64? {
    guard let lowest, let highest else { return nil }
    return UInt64(highest - lowest) + 1 - distinct
  }

  /// Takes the next assertion whose signature held and returns what is to be said of its counter,
  /// unless it is an exact replay. `attestation` is the key's first valid one.
  mutating func take(
    _ counter: UInt32, time: Int64, at position: Position, attestation: Position?
  ) -> HashRow.Tentative? {
    let before = expected
    let isNew = seen.insert(counter)
    count(counter, isNew: isNew)
    // What first carried the known keys' counter lies before these logs.
    defer { recent.append(counter, position, isFirst: isNew) }
    if counter == 0 {
      let related = before == 0 ? attestation : carrier
      return .init(code: .counterRegression, expected: before, related: related)
    }
    if !isNew {
      return .init(
        code: .counterRepeated, expected: before, related: recent.first(carrying: counter))
    }
    if counter < before {
      let isLate = isAfterTolerance(counter, time)
      return .init(
        code: isLate ? .counterRegression : .counterReordered, expected: before, related: carrier)
    }
    rise(to: counter, time: time, at: position)
    if gap > 0, counter - before > gap {
      return .init(code: .counterGap, expected: before, related: nil)
    }
    return nil
  }

  private mutating func count(_ counter: UInt32, isNew: Bool) {
    lowest = min(lowest ?? counter, counter)
    highest = max(highest ?? counter, counter)
    let isImported = counter == importedCounter && !importedWasSeen
    if isImported { importedWasSeen = true }
    if isNew || isImported { distinct += 1 }
  }

  /// Whether the earliest event with a higher counter lies more than the tolerance back.
  private mutating func isAfterTolerance(_ counter: UInt32, _ time: Int64) -> Bool {
    forget(before: time)
    if olderHigh > counter { return true }
    var index = firstHigh
    while index < highs.count, highs[index].counter <= counter { index += 1 }
    return index == highs.count || time - highs[index].time > tolerance
  }

  private mutating func rise(to counter: UInt32, time: Int64, at position: Position) {
    expected = counter
    carrier = position
    forget(before: time)
    if firstHigh < highs.count, highs[highs.count - 1].time == time {
      highs[highs.count - 1].counter = counter
    } else {
      highs.append((time, counter))
    }
  }

  /// Drops the highs that lie more than the tolerance before `time`.
  private mutating func forget(before time: Int64) {
    while firstHigh < highs.count, time - highs[firstHigh].time > tolerance {
      olderHigh = max(olderHigh, highs[firstHigh].counter)
      firstHigh += 1
    }
    if firstHigh > 64, firstHigh * 2 > highs.count {
      highs.removeFirst(firstHigh)
      firstHigh = 0
    }
  }
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
