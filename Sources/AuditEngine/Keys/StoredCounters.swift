/// The counters of one key that its server may have stored as time goes on: the highest of the requests
/// that it did not reject, and what that was within the last `reorderTolerance`, since two requests at
/// once read one stored value.
///
/// Memory: one entry for each run of neighbours that were reached in one millisecond of the tolerance.
struct StoredCounters {
  /// Highest counters that were reached in one millisecond, each one more than the one before.
  private struct Step {
    var time: Int64
    var values: ClosedRange<UInt32>
  }

  private let tolerance: Int64
  private var steps: [Step] = []
  private var first = 0
  /// What was the highest in front of `steps`.
  private var older: UInt32
  /// The highest counter so far.
  private(set) var expected: UInt32

  /// `start` is the highest counter before the first request: 0 after the attestation.
  init(tolerance: Int64, start: UInt32 = 0) {
    self.tolerance = tolerance
    older = start
    expected = start
  }

  /// Whether a server may have had this counter stored before a request at `time`; times never fall
  /// from call to call.
  mutating func mayBe(_ stored: UInt32, at time: Int64) -> Bool {
    if stored == expected { return true }
    forget(before: time)
    guard stored < expected, first < steps.count else { return false }
    // `older` was the highest until the first step was reached.
    return stored == older || isReached(stored)
  }

  /// Whether one of the steps has a counter: their values ascend.
  private func isReached(_ counter: UInt32) -> Bool {
    var (from, to) = (first, steps.count)
    while from < to {
      let middle = (from + to) / 2
      if steps[middle].values.upperBound < counter { from = middle + 1 } else { to = middle }
    }
    return from < steps.count && steps[from].values.contains(counter)
  }

  /// Takes the counter of a request that the server did not reject, in the order of time.
  mutating func rise(to counter: UInt32, time: Int64) {
    guard counter > expected else { return }
    forget(before: time)
    if first < steps.count, steps[steps.count - 1].time == time, counter == expected + 1 {
      let values = steps[steps.count - 1].values
      steps[steps.count - 1].values = values.lowerBound...counter
    } else {
      steps.append(Step(time: time, values: counter...counter))
    }
    expected = counter
  }

  /// Drops what was superseded more than the tolerance before `time`.
  private mutating func forget(before time: Int64) {
    while first < steps.count, time - steps[first].time > tolerance {
      older = steps[first].values.upperBound
      first += 1
    }
    if first > 64, first * 2 > steps.count {
      steps.removeFirst(first)
      first = 0
    }
  }
}
