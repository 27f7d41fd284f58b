/// What earlier runs know of a key's counters.
struct CounterPast {
  /// Counters that were reached, in any order.
  var highs: [RememberedKey.High] = []
  /// The counters seen.
  var seen: [ClosedRange<UInt32>] = []
  /// Whether nothing was reached before the first of `highs` and of the kept rows.
  var knowsBeginning = true

  /// What is remembered of the key; nil: no earlier run knows it.
  init(_ key: RememberedKey? = nil) {
    guard let key else { return }
    // Times that no record can have would overflow where they are compared.
    highs = key.highs.filter { RememberedKey.High.times.contains($0.time) }
    seen = key.seen
    knowsBeginning = key.highs.isEmpty
  }
}
