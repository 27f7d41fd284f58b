internal import Basics

/// The counters of one key that its server may have stored as time goes on: the highest of the requests
/// that it did not reject, and what that was within the last `reorderTolerance`, since two requests at
/// once read one stored value.
///
/// Memory: one entry for each such request of the tolerance.
struct StoredCounters {
  private let tolerance: Int64
  /// What was reached within the tolerance.
  private var steps: [KeptKey.High] = []
  private var first = 0
  /// What was the highest in front of `steps`; nil: 0.
  private var older: KeptKey.High?
  /// The highest counter so far.
  private(set) var expected: UInt32 = 0

  init(tolerance: Int64) {
    self.tolerance = tolerance
  }

  /// Whether a server may have had this counter stored before a request at `time`; times never fall
  /// from call to call.
  mutating func mayBe(_ stored: UInt32, at time: Int64) -> Bool {
    if stored == expected { return true }
    forget(before: time)
    guard stored < expected, first < steps.count else { return false }
    // The older one was the highest until the first step was reached.
    return stored == older?.counter ?? 0 || isReached(stored)
  }

  /// Whether one of the steps has a counter: these ascend.
  private func isReached(_ counter: UInt32) -> Bool {
    let index = (first..<steps.count).searched { steps[$0].counter < counter }
    return index < steps.count && steps[index].counter == counter
  }

  /// Takes the counter of a request that the server did not reject, in the order of time.
  mutating func rise(to counter: UInt32, time: Int64) {
    guard counter > expected else { return }
    expected = counter
    forget(before: time)
    let step = KeptKey.High(time: time, counter: counter)
    if time <= KeptKey.High.beforeAll { older = step } else { steps.append(step) }
  }

  /// Drops what was superseded more than the tolerance before `time`.
  private mutating func forget(before time: Int64) {
    while first < steps.count, time - steps[first].time > tolerance {
      older = steps[first]
      first += 1
    }
    if first > 64, first * 2 > steps.count {
      steps.removeFirst(first)
      first = 0
    }
  }

  /// What later runs are to know: the steps of the tolerance before the last, and in front of them the
  /// last older one.
  var remembered: [KeptKey.High] { (older.map { [$0] } ?? []) + steps[first...] }
}
