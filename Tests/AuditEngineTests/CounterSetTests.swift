import Testing

@testable import AuditEngine

@Suite struct `Counter set` {
  /// Inserts into both sets and compares.
  private func check(_ counters: some Sequence<UInt32>) {
    var set = CounterSet()
    var reference = Set<UInt32>()
    for counter in counters {
      guard set.insert(counter) == reference.insert(counter).inserted else {
        Issue.record("\(counter) after \(reference.count)")
        return
      }
    }
  }

  @Test func `bounds are members like any other`() {
    check([0, UInt32.max, 0, 1, 65_535, 65_536, 65_535, 65_536, UInt32.max, UInt32.max - 1, 1])
  }

  @Test func `counters in order, backwards and again`() {
    check(1...20_000)
    check((1...20_000).reversed())
    check(Array(60_000...75_000) + Array(60_000...75_000))
  }

  @Test(arguments: [4095, 4096, 4097, 65_536])
  func `a chunk becomes a bitmap without losing a member`(_ count: UInt32) {
    let members = (0..<count).map { $0 &* 40_503 & 0xFFFF }
    check(members + members + Array(0...0xFFFF))
  }

  @Test(arguments: [8, 12, 17, 24, 32])
  func `counters at random, dense and scattered`(_ bits: UInt32) {
    var random = Generator(UInt64(bits))
    check((0..<30_000).map { _ in UInt32(truncatingIfNeeded: random.next() >> 20) >> (32 - bits) })
  }

  @Test func `steps of 65,536 share no chunk`() {
    let counters = (0..<2000).map { UInt32($0) << 16 }
    check(counters + [7 << 16 | 1] + counters)
  }
}
