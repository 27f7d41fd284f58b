/// The knowledge of a key's counters from before the events at hand.
struct CounterPast: Equatable {
  /// Counters that were reached, in any order.
  var highs: [KeptKey.High] = []
  /// Counters that the server may have stored, likewise.
  var stored: [KeptKey.High] = []
  /// The counters seen.
  var seen: [ClosedRange<UInt32>] = []

  /// Makes a past of which nothing is known before the first event.
  init() {}

  /// Makes it from what is kept of the key.
  init(_ key: KeptKey) {
    // Times that no record can have would overflow where they are compared.
    highs = key.highs.filter { KeptKey.High.times.contains($0.time) }
    stored = key.stored.filter { KeptKey.High.times.contains($0.time) }
    seen = key.seen
  }

  /// Takes a list's word for the counter that the key had reached by a time, or before all logs; it counts
  /// where it is higher than what is known.
  mutating func take(lastCounter: UInt32, at time: Int64 = KeptKey.High.beforeAll) {
    guard highs.allSatisfy({ $0.counter < lastCounter }), KeptKey.High.times.contains(time) else {
      return
    }
    let high = KeptKey.High(time: time, counter: lastCounter)
    highs.append(high)
    if !stored.isEmpty { stored.append(high) }
    seen.append(lastCounter...lastCounter)
  }
}
