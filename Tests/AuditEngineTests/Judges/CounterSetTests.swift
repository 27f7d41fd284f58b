import TestSupport
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

  // MARK: From run to run

  @Test(arguments: [6, 12, 20, 32])
  func `ranges hold all members and nothing else, from run to run`(_ bits: UInt32) {
    var random = Generator(UInt64(bits) + 40)
    var all: Set<UInt32> = []
    var ranges: [ClosedRange<UInt32>] = []
    for _ in 0..<4 {
      var set = CounterSet(ranges)
      for _ in 0..<2000 {
        let counter = UInt32(truncatingIfNeeded: random.next() >> 20) >> (32 - bits)
        #expect(set.insert(counter) == all.insert(counter).inserted)
      }
      ranges = set.ranges
      #expect(ranges == reference(all))
      let bounds = UInt32(1) << (bits / 2)...(.max >> (32 - bits) &- 3)
      #expect(set.count(in: bounds) == UInt64(all.count { bounds.contains($0) }))
    }
  }

  private func reference(_ members: Set<UInt32>) -> [ClosedRange<UInt32>] {
    var ranges: [ClosedRange<UInt32>] = []
    for member in members.sorted() {
      if let last = ranges.last, last.upperBound == member &- 1 {
        ranges[ranges.count - 1] = last.lowerBound...member
      } else {
        ranges.append(member...member)
      }
    }
    return ranges
  }

  @Test func `ranges in disorder, touching or overlapping are put right`() {
    #expect(CounterSet([5...9, 1...2, 3...3, 8...20, 22...22]).ranges == [1...3, 5...20, 22...22])
    #expect(CounterSet([0...UInt32.max, 4...5]).ranges == [0...UInt32.max])
    #expect(CounterSet([3...4, 5...6]).ranges == [3...6])
    #expect(CounterSet().ranges.isEmpty)
  }
}
