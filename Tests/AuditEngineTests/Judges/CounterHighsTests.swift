import Testing

@testable import AuditEngine

extension CounterHighs {
  /// The finding for a counter, without a limit of gaps.
  fileprivate func judged(_ counter: UInt32, at time: Int64) -> FindingCode? {
    var copy = self
    return copy.judge(counter, time: time, gap: 0)
  }

  fileprivate func mayHave(_ counter: UInt32, at time: Int64) -> Bool {
    var copy = self
    return copy.mayHaveBeen(counter, at: time)
  }
}

@Suite struct `Counter highs` {
  private func highs(
    _ steps: [(counter: UInt32, time: Int64)], tolerance: Int64 = 30_000
  ) -> CounterHighs {
    var highs = CounterHighs(tolerance: tolerance)
    for step in steps { highs.rise(to: step.counter, time: step.time, at: nil) }
    return highs
  }

  @Test func `a counter that was not passed is no lower one`() {
    let reached = highs([(5, 0)])
    #expect(reached.judged(5, at: 100_000) == nil)
    #expect(reached.judged(4, at: 100_000) == .counterRegression)
  }

  @Test func `what was reached long ago makes a regression only of what is lower`() {
    let reached = highs([(5, 0), (9, 40_000)])
    #expect(reached.judged(5, at: 40_001) == .counterReordered)
    #expect(reached.judged(4, at: 40_001) == .counterRegression)
  }

  @Test func `a server had nothing stored before the first counter`() {
    let reached = highs([(5, 0)])
    #expect(reached.mayHave(0, at: 10))
    #expect(!reached.mayHave(1, at: 10))
    #expect(!reached.mayHave(0, at: 30_001))
  }

  @Test func `what a list says was reached before all, however long the tolerance is`() {
    let reached = highs([(7, KeptKey.High.beforeAll)], tolerance: .max)
    #expect(reached.mayHave(7, at: 1000))
    #expect(!reached.mayHave(0, at: 1000))
  }

  @Test func `of a millisecond the highest is remembered`() {
    let reached = highs([(1, 5), (2, 5), (3, 6)])
    #expect(reached.remembered == [.init(time: 5, counter: 2), .init(time: 6, counter: 3)])
    #expect(reached.steps.map(\.counter) == [1, 2, 3])
  }
}
