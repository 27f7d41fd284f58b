import TestSupport
import Testing

@testable import AuditEngine

/// One assertion whose signature held.
private struct Step {
  var counter: UInt32
  var time: Int64
}

/// The finding about a counter.
private struct Said: Equatable {
  var code: FindingCode
  var expected: UInt32
  var related: Position?
}

private let attestation = Position(source: 9, line: 9)

private func place(_ index: Int) -> Position { Position(source: 1, line: UInt64(index + 1)) }

private func policy(tolerance: Int64 = 30_000, gap: UInt32 = 0) -> DetectionPolicy {
  var policy = DetectionPolicy()
  policy.reorderTolerance = tolerance
  policy.counterGap = gap
  return policy
}

private func run(
  _ steps: [Step], _ policy: DetectionPolicy = policy(), lastCounter: UInt32? = nil
) -> (said: [Said?], audit: CounterAudit) {
  var audit = CounterAudit(policy: policy, lastCounter: lastCounter)
  let said = steps.enumerated().map { index, step in
    audit.take(step.counter, time: step.time, at: place(index), attestation: attestation).map {
      Said(code: $0.code, expected: $0.expected, related: $0.related?.position)
    }
  }
  return (said, audit)
}

/// Returns the same findings, by the words of `detection.md` and by looking at everything again
/// each time.
private func reference(
  _ steps: [Step], _ policy: DetectionPolicy, lastCounter: UInt32?
) -> [Said?] {
  steps.indices.map { index in
    let earlier = steps[..<index]
    let step = steps[index]
    let expected = max(lastCounter ?? 0, earlier.map(\.counter).max() ?? 0)
    let carrier =
      expected > lastCounter ?? 0
      ? earlier.firstIndex { $0.counter == expected }.map(place) : nil
    if step.counter == 0 {
      return Said(
        code: .counterRegression, expected: expected, related: expected == 0 ? attestation : carrier
      )
    }
    if step.counter == lastCounter {
      return Said(code: .counterRepeated, expected: expected, related: nil)
    }
    if let first = earlier.firstIndex(where: { $0.counter == step.counter }) {
      return Said(code: .counterRepeated, expected: expected, related: place(first))
    }
    if step.counter < expected {
      let higher = earlier.first { $0.counter > step.counter }?.time
      let isImported = lastCounter ?? 0 > step.counter
      let isLate = isImported || step.time - (higher ?? .min / 2) > policy.reorderTolerance
      return Said(
        code: isLate ? .counterRegression : .counterReordered, expected: expected,
        related: carrier)
    }
    if policy.counterGap > 0, step.counter - expected > policy.counterGap {
      return Said(code: .counterGap, expected: expected, related: nil)
    }
    return nil
  }
}

extension CounterAudit {
  /// Takes an assertion of which nothing but its own counter is known.
  mutating func take(
    _ counter: UInt32, time: Int64, at position: Position, attestation: Position?
  ) -> HashRow.Tentative? {
    take(
      Event(counter: counter, time: time, position: position),
      attestation: attestation.map { EventPlace(position: $0) }
    )
    .tentative
  }
}

@Suite struct `Counter audit` {
  @Test func `the whole range of counters can be missing`() {
    let steps: [Step] = [.init(counter: 0, time: 0), .init(counter: .max, time: 1)]
    #expect(run(steps).audit.missing == UInt64(UInt32.max) - 1)
    #expect(run([.init(counter: .max, time: 0)], lastCounter: .max).audit.missing == 0)
  }

  // MARK: Memory

  @Test(arguments: [(65_535, true), (65_536, true), (65_537, false), (70_000, false)])
  func `the first carrier is named among the last 65,536 assertions`(
    _ count: Int, _ isNamed: Bool
  ) {
    var audit = CounterAudit(policy: policy())
    for index in 0..<count {
      _ = audit.take(UInt32(index + 1), time: Int64(index), at: place(index), attestation: nil)
    }
    let said = audit.take(1, time: Int64(count), at: place(count), attestation: nil)
    #expect(said?.code == .counterRepeated)
    #expect(said?.related?.position == (isNamed ? place(0) : nil))
    let last = audit.take(UInt32(count), time: Int64(count), at: place(count + 1), attestation: nil)
    #expect(last?.related?.position == place(count - 1))
  }

  @Test func `extreme times harm nothing`() {
    let steps: [Step] = [
      .init(counter: 5, time: -62_167_219_200_000), .init(counter: 4, time: 253_402_300_799_999),
      .init(counter: 6, time: 253_402_300_799_999),
    ]
    let said = run(steps, policy(tolerance: .max)).said
    #expect(said.map { $0?.code } == [nil, .counterReordered, nil])
    let listed = run([.init(counter: 4, time: 0)], policy(tolerance: .max), lastCounter: 5).said
    #expect(listed.map { $0?.code } == [.counterRegression])
  }

  // MARK: Against the reference

  @Test(arguments: 0..<40)
  func `random sequences are judged as the reference judges them`(_ seed: UInt64) {
    var random = Generator(seed + 100)
    let tolerance = Int64([0, 1, 10, 50, 1000][random.below(5)])
    let spread = [1, 4, 40, 400][random.below(4)]
    let gap = UInt32([0, 0, 1, 3, 10][random.below(5)])
    let lastCounter = random.below(3) == 0 ? UInt32(random.below(60)) : nil
    var time: Int64 = 0
    var base = 0
    var steps: [Step] = []
    for _ in 0..<250 {
      if random.below(3) > 0 { time += Int64(random.below(Int(tolerance) / 2 + 3)) }
      base += random.below(3)
      let counter = max(0, base + random.below(spread) - (random.below(6) == 0 ? spread : 0))
      steps.append(Step(counter: UInt32(counter), time: time))
    }
    // The order of a key's assertions.
    steps = steps.enumerated().sorted {
      ($0.element.time, $0.element.counter, $0.offset) < (
        $1.element.time, $1.element.counter, $1.offset
      )
    }.map(\.element)
    let policy = policy(tolerance: tolerance, gap: gap)
    let (said, audit) = run(steps, policy, lastCounter: lastCounter)
    #expect(said == reference(steps, policy, lastCounter: lastCounter))
    let distinct = Set(steps.map(\.counter))
    let expected = distinct.max()! - distinct.min()! + 1 - UInt32(distinct.count)
    #expect(audit.missing == UInt64(expected))
    #expect(audit.lowest == distinct.min() && audit.highest == distinct.max())
  }
}
