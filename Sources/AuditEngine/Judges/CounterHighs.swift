internal import Basics

/// The highest counter of one key over time, by the events of the tolerance that raised it.
struct CounterHighs {
  private let tolerance: Int64
  /// The counters reached in the last `tolerance` milliseconds: times and counters ascend.
  private var highs: [KeptKey.High] = []
  private var firstHigh = 0
  /// The last one that was reached longer ago than that.
  private var older: KeptKey.High?
  private(set) var expected: UInt32 = 0
  /// The event that carried `expected`, or nil if that is 0 or comes from a list of known keys.
  private(set) var carrier: EventPlace?

  init(tolerance: Int64) {
    self.tolerance = tolerance
  }

  /// Returns the finding for a counter above 0 that was never seen before.
  mutating func judge(_ counter: UInt32, time: Int64, gap: UInt32) -> FindingCode? {
    if counter < expected {
      return isAfterTolerance(counter, time) ? .counterRegression : .counterReordered
    }
    return gap > 0 && counter - expected > gap ? .counterGap : nil
  }

  /// Returns whether the earliest event with a higher counter lies more than the tolerance back.
  private mutating func isAfterTolerance(_ counter: UInt32, _ time: Int64) -> Bool {
    forget(before: time)
    if let older, older.counter > counter { return true }
    let index = firstHigh(from: counter + 1)
    return index == highs.count || time - highs[index].time > tolerance
  }

  /// Returns whether a server that stored each of these counters may have had this one stored before a
  /// request at `time`: two requests at once read one. Times never fall from call to call.
  mutating func mayHaveBeen(_ counter: UInt32, at time: Int64) -> Bool {
    if counter == expected { return true }
    forget(before: time)
    guard counter < expected, firstHigh < highs.count else { return false }
    // The older one was the highest until the first one was reached.
    if counter == older?.counter ?? 0 { return true }
    let index = firstHigh(from: counter)
    return index < highs.count && highs[index].counter == counter
  }

  /// Returns the index of the first of `highs` that is `counter` or higher.
  private func firstHigh(from counter: UInt32) -> Int {
    (firstHigh..<highs.count).searched { highs[$0].counter < counter }
  }

  /// Takes a counter that was reached, in the order of time, if it is above all before.
  mutating func rise(to counter: UInt32, time: Int64, at position: Position?) {
    guard counter > expected else { return }
    expected = counter
    carrier = position.map { EventPlace(position: $0, time: time) }
    forget(before: time)
    let high = KeptKey.High(time: time, counter: counter, position: position)
    if time <= KeptKey.High.beforeAll { older = high } else { highs.append(high) }
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

  /// All highs of the tolerance before the last, and in front of them the last older one; no positions.
  var steps: [KeptKey.High] {
    ((older.map { [$0] } ?? []) + highs[firstHigh...]).map {
      KeptKey.High(time: $0.time, counter: $0.counter)
    }
  }

  /// The same with positions: of each millisecond, what was the highest counter once it was over.
  var remembered: [KeptKey.High] {
    var result = older.map { [$0] } ?? []
    for (index, high) in highs.enumerated().dropFirst(firstHigh)
    where index + 1 == highs.count || highs[index + 1].time != high.time {
      result.append(high)
    }
    return result
  }
}
