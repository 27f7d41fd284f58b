/// The highest counter of one key as time goes on.
struct CounterHighs {
  private let tolerance: Int64
  /// The running highs of the last `tolerance` milliseconds, at most one for each: what was the
  /// highest counter once that millisecond was over.
  private var highs: [KeptKey.High] = []
  private var firstHigh = 0
  /// The last one that was reached longer ago than that.
  private var older: KeptKey.High?
  /// The highest counter so far.
  private(set) var expected: UInt32 = 0
  /// The event that carried `expected`; nil where that is 0 or comes from a list of known keys.
  private(set) var carrier: Position?

  init(tolerance: Int64) {
    self.tolerance = tolerance
  }

  /// What is to be said of a counter above 0 that was never seen before.
  mutating func judge(_ counter: UInt32, time: Int64, gap: UInt32) -> FindingCode? {
    if counter < expected {
      return isAfterTolerance(counter, time) ? .counterRegression : .counterReordered
    }
    return gap > 0 && counter - expected > gap ? .counterGap : nil
  }

  /// Whether the earliest event with a higher counter lies more than the tolerance back.
  private mutating func isAfterTolerance(_ counter: UInt32, _ time: Int64) -> Bool {
    forget(before: time)
    if let older, older.counter > counter { return true }
    var index = firstHigh
    while index < highs.count, highs[index].counter <= counter { index += 1 }
    return index == highs.count || time - highs[index].time > tolerance
  }

  /// Takes a counter that was reached, in the order of time; nothing where it is not above all
  /// before it.
  mutating func rise(to counter: UInt32, time: Int64, at position: Position?) {
    guard counter > expected else { return }
    expected = counter
    carrier = position
    forget(before: time)
    let high = KeptKey.High(time: time, counter: counter, position: position)
    if time <= KeptKey.High.beforeAll {
      older = high
    } else if firstHigh < highs.count, highs[highs.count - 1].time == time {
      highs[highs.count - 1] = high
    } else {
      highs.append(high)
    }
  }

  /// Drops the highs that lie more than the tolerance before `time`.
  private mutating func forget(before time: Int64) {
    while firstHigh < highs.count, time - highs[firstHigh].time > tolerance {
      older = highs[firstHigh]
      firstHigh += 1
    }
    if firstHigh > 64, firstHigh * 2 > highs.count {
      highs.removeFirst(firstHigh)
      firstHigh = 0
    }
  }

  /// What later runs are to know: the highs of the tolerance before the last, and in front of them
  /// the last older one.
  var remembered: [KeptKey.High] {
    (older.map { [$0] } ?? []) + highs[firstHigh...]
  }
}
