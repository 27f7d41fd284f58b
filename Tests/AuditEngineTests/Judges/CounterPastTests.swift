import AuditLog
import Testing

@testable import AuditEngine

/// Counters that were reached before the events at hand.
@Suite struct `Counter past` {
  private func place(_ line: UInt64) -> Position { Position(source: 1, line: line) }

  private func audit(
    _ past: CounterPast, gap: UInt32 = 0, lastCounter: UInt32? = nil, isAttested: Bool = true
  ) -> CounterAudit {
    var policy = DetectionPolicy()
    policy.reorderTolerance = 30_000
    policy.counterGap = gap
    return CounterAudit(
      policy: policy, past: past, lastCounter: lastCounter, isAttested: isAttested)
  }

  /// The counters 1 to `counter` were seen; the last one was reached at that time.
  private func past(_ counter: UInt32, at time: Int64, stored: UInt32? = nil) -> CounterPast {
    var past = CounterPast()
    past.highs = [.init(time: time, counter: counter, position: place(5))]
    past.stored = stored.map { [.init(time: time, counter: $0)] } ?? []
    past.seen = [1...counter]
    return past
  }

  @Test func `a list's word for what logs have shown is no news`() {
    var counters = audit(past(7, at: 100), lastCounter: 7)
    _ = counters.take(6, time: 200, at: place(6), attestation: nil)
    _ = counters.take(8, time: 201, at: place(7), attestation: nil)
    #expect(counters.missing == 0)
  }

  @Test func `a list's counter is missing until it turns up`() {
    for (steps, missing) in [([6, 8], 1), ([6, 7, 8], 0)] as [([UInt32], UInt64)] {
      var counters = audit(past(3, at: 100), lastCounter: 7)
      for (index, counter) in steps.enumerated() {
        let position = place(UInt64(10 + index))
        _ = counters.take(counter, time: Int64(200 + index), at: position, attestation: nil)
      }
      #expect(counters.missing == missing, "\(steps)")
    }
  }

  @Test func `of one time, lower counters come first (detection.R2)`() {
    var counters = audit(past(5, at: 100))
    let lower = counters.take(4, time: 100, at: place(6), attestation: nil)
    #expect(lower?.code == .counterRepeated && lower?.expected == 0)
    let higher = counters.take(9, time: 100, at: place(7), attestation: nil)
    #expect(higher?.code == nil && counters.expected == 9)
    var behind = audit(past(5, at: 100))
    let repeated = behind.take(5, time: 100, at: place(6), attestation: nil)
    #expect(repeated?.code == .counterRepeated && repeated?.expected == 5)
    var ahead = audit(past(5, at: 100))
    let early = ahead.take(5, time: 100, at: place(4), attestation: nil)
    #expect(early?.code == .counterRepeated && early?.expected == 0)
  }

  @Test func `before all counters that are known, none is expected (detection.R14)`() {
    var counters = audit(past(5, at: 100), gap: 1)
    let early = counters.take(
      .init(counter: 9, time: 50, position: place(1), stored: 7), attestation: nil)
    #expect(early.tentative?.code == nil && early.mismatch?.stored == nil)
    // What was stored at an instant is known at it.
    var stored = audit(past(5, at: 100, stored: 5))
    let same = stored.take(
      .init(counter: 6, time: 100, position: place(9), stored: 5), attestation: nil)
    #expect(same.mismatch?.stored == nil)
  }

  @Test func `of one instant the highest counter is remembered`() {
    var counters = audit(CounterPast())
    for counter in [3, 9] as [UInt32] {
      _ = counters.take(counter, time: 5, at: place(UInt64(counter)), attestation: nil)
    }
    #expect(counters.remembered().highs.map(\.counter) == [9])
  }

  @Test func `a gap is known behind a first counter that the server rejected (detection.R14)`() {
    var counters = audit(CounterPast(), gap: 1, isAttested: false)
    let first = counters.take(
      .init(counter: 6, time: 0, position: place(1), isRejected: true), attestation: nil)
    #expect(first.tentative?.code == nil)
    let second = counters.take(.init(counter: 9, time: 1, position: place(2)), attestation: nil)
    #expect(second.tentative?.code == .counterGap && second.tentative?.expected == 6)
  }

  @Test func `a mismatch names what was stored, not what was seen`() {
    var counters = audit(CounterPast())
    _ = counters.take(.init(counter: 1, time: 0, position: place(1)), attestation: nil)
    _ = counters.take(
      .init(counter: 9, time: 1, position: place(2), isRejected: true), attestation: nil)
    let said = counters.take(
      .init(counter: 10, time: 2, position: place(3), stored: 5), attestation: nil)
    #expect(said.mismatch?.expected == 1 && said.mismatch?.stored == 5)
  }

  @Test func `the same assertion at the same time is judged the same (detection.R13)`() {
    let said = [Digest128(1, 2), Digest128(3, 4)].map { identity in
      var counters = audit(CounterPast())
      _ = counters.take(
        .init(counter: 7, time: 5, position: place(2), identity: Digest128(1, 2)), attestation: nil)
      return counters.take(
        .init(counter: 7, time: 5, position: place(1), identity: identity), attestation: nil
      ).tentative?.code
    }
    #expect(said == [nil, .counterRepeated])
  }

  // MARK: A list's word

  @Test func `a list's counter counts where it is higher than what is known`() {
    var same = past(7, at: 5, stored: 3)
    let before = same
    same.take(lastCounter: 7)
    #expect(same == before)
    same.take(lastCounter: 9, at: 8)
    #expect(same.highs.map(\.counter) == [7, 9] && same.stored.map(\.counter) == [3, 9])
    #expect(same.seen == [1...7, 9...9])
    // Where what was stored is not known, it is taken for what was seen.
    var unknown = past(7, at: 5)
    unknown.take(lastCounter: 9, at: 8)
    #expect(unknown.stored.isEmpty)
  }
}
