import TestSupport
import Testing

@testable import AuditEngine

/// An assertion whose signature held, and the night on which it came.
private struct NightStep {
  var counter: UInt32
  var time: Int64
  var night: Int
  var line: UInt64 = 0

  var position: Position { Position(source: UInt32(night), line: line) }

  static func precedes(_ a: NightStep, _ b: NightStep) -> Bool {
    (a.time, a.counter, a.position) < (b.time, b.counter, b.position)
  }
}

/// One key's counters over nights: the findings are the difference of two audits.
private struct CounterNights {
  var policy = DetectionPolicy()
  /// The number of nights for which rows are kept.
  var pending = 100
  var lastCounter: UInt32?
  private var past = CounterPast()
  private var kept: [(step: NightStep, night: Int)] = []
  /// The counters known before each night whose rows are kept.
  private var snapshots: [(past: CounterPast, night: Int)] = []
  /// The finding of each line in the end.
  private(set) var said: [UInt64: FindingCode] = [:]

  init(_ policy: DetectionPolicy, pending: Int = 100, lastCounter: UInt32? = nil) {
    self.policy = policy
    self.pending = pending
    self.lastCounter = lastCounter
  }

  var seen: [ClosedRange<UInt32>] { past.seen }
  var highs: [KeptKey.High] { past.highs }

  mutating func run(_ steps: [NightStep], night: Int) {
    kept.removeAll { $0.night + pending < night }
    snapshots.removeAll { $0.night + pending < night }
    if let lastCounter { past.take(lastCounter: lastCounter) }
    snapshots.append((past, night))
    let first = snapshots[0].past
    var before = CounterAudit(policy: policy, past: first, lastCounter: lastCounter)
    var now = before
    let rows = (kept.map { ($0.step, true) } + steps.map { ($0, false) }).sorted {
      NightStep.precedes($0.0, $1.0)
    }
    for (step, isKept) in rows {
      func judge(_ audit: inout CounterAudit) -> FindingCode? {
        audit.take(step.counter, time: step.time, at: step.position, attestation: nil)?.code
      }
      let was = isKept ? judge(&before) : nil
      let code = judge(&now)
      if !isKept || was != code { said[step.line] = code }
    }
    kept += steps.map { ($0, night) }
    past = now.remembered()
  }
}

private func policy(gap: UInt32 = 0, tolerance: Int64 = 30_000) -> DetectionPolicy {
  var policy = DetectionPolicy()
  policy.counterGap = gap
  policy.reorderTolerance = tolerance
  return policy
}

/// Returns the finding of each line in one run over everything.
private func together(
  _ steps: [NightStep], _ policy: DetectionPolicy, lastCounter: UInt32? = nil
) -> [UInt64: FindingCode] {
  var audit = CounterAudit(policy: policy, lastCounter: lastCounter)
  var said: [UInt64: FindingCode] = [:]
  for step in steps.sorted(by: NightStep.precedes) {
    said[step.line] =
      audit.take(step.counter, time: step.time, at: step.position, attestation: nil)?.code
  }
  return said
}

@Suite struct `Counters over nights` {
  @Test func `a list's counter counts on the first night and on later ones alike`() {
    var nights = CounterNights(policy(), lastCounter: 7)
    nights.run([.init(counter: 9, time: 1_000_000, night: 0, line: 1)], night: 0)
    #expect(nights.highs.map(\.counter) == [7, 9])
    #expect(nights.highs.first?.time == KeptKey.High.beforeAll)
    #expect(nights.seen == [7...7, 9...9])
    nights.run([.init(counter: 7, time: 500_000, night: 1, line: 2)], night: 1)
    nights.run([.init(counter: 5, time: 400_000, night: 1, line: 3)], night: 2)
    #expect(nights.said == [2: .counterRepeated, 3: .counterRegression])
    // The list says more than the nights do.
    nights.lastCounter = 20
    nights.run([.init(counter: 15, time: 2_000_000, night: 3, line: 4)], night: 3)
    #expect(nights.said[4] == .counterRegression)
  }

  @Test func `times and counters that cannot be harm nothing`() {
    var past = CounterPast()
    past.highs = [
      .init(time: -5, counter: .max), .init(time: KeptKey.High.beforeAll, counter: 4),
    ]
    past.seen = [5...9, 0...UInt32.max, 3...4]
    var audit = CounterAudit(policy: policy(), past: past, lastCounter: 2)
    let said = audit.take(
      4, time: 9_000_000_000_000, at: Position(source: 9, line: 1), attestation: nil)
    #expect(said?.code == .counterRepeated && said?.expected == .max)
    let remembered = audit.remembered()
    #expect(remembered.seen == [0...UInt32.max])
    #expect(remembered.highs.map(\.counter) == [4, .max])
    #expect(audit.missing == 0)
  }

  @Test(arguments: 0..<20)
  func `what is forgotten makes no regression of what is none`(_ seed: UInt64) {
    var random = Generator(seed + 900)
    let policy = policy(gap: 3, tolerance: 30)
    var steps: [NightStep] = []
    for index in 0..<200 {
      let time = Int64(random.below(6000))
      steps.append(
        .init(
          counter: UInt32(time / 20 + Int64(random.below(9))), time: time,
          night: random.below(6), line: UInt64(index)))
    }
    var nights = CounterNights(policy, pending: 0)
    for night in 0..<6 { nights.run(steps.filter { $0.night == night }, night: night) }
    let all = together(steps, policy)
    let fallen: Set<FindingCode?> = [.counterRegression, .counterRepeated]
    for (line, code) in nights.said where code == .counterRegression {
      #expect(fallen.contains(all[line]), "line \(line) of seed \(seed)")
    }
    #expect(nights.said.values.contains(.counterRegression))
  }
}
