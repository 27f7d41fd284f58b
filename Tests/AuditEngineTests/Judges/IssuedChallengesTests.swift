import AppAttest
import TestSupport
import Testing

@testable import AuditEngine

@Suite struct `Issued challenges` {
  private let shuffles = Shuffles(remembers: true)

  private typealias Issue = IssuedChallenges.Issue

  private func issue(_ time: Int64, _ source: UInt32, _ line: UInt64) -> Issue {
    Issue(time: time, position: Position(source: source, line: line))
  }

  @Test(arguments: [1, IssuedChallenges.limit + 1])
  func `what damage had made was issued then, and is not now`(_ count: Int) throws {
    let issued = IssuedChallenges(shuffles)
    for line in 1...UInt64(count) {
      var damaged = issue(10, 0, line)
      damaged.isDamage = true
      try issued.add(earlier: damaged)
    }
    #expect(try issued.last(until: 9) == nil)
    #expect(issued.latestEarlier == nil)
    #expect(try issued.last(until: 10) == nil)
    #expect(issued.latestEarlier?.position.line == UInt64(count))
    issued.take(issue(15, 7, 1))
    #expect(try issued.last(until: 20) == issue(15, 7, 1))
  }

  @Test(arguments: [0, 1, 200, IssuedChallenges.limit, IssuedChallenges.limit + 1, 50_000])
  func `few and many are looked up as one list is`(_ count: Int) throws {
    var random = Generator(UInt64(count))
    let issued = IssuedChallenges(shuffles)
    // A second round: nothing of the first may be left.
    for _ in 0..<2 {
      let earlier = (0..<count).map { issue(Int64(random.below(1000)) - 500, 0, UInt64($0)) }
        .shuffled(using: &random)
      for issue in earlier { try issued.add(earlier: issue) }
      var all = earlier.sorted()
      var (passed, seen): (Int, Issue?) = (0, nil)
      for time in stride(from: Int64(-510), to: 510, by: 7) {
        while passed < all.count, all[passed].time <= time {
          seen = max(seen ?? all[passed], all[passed])
          passed += 1
        }
        if time % 3 == 0 {
          let live = issue(time, 3, UInt64(bitPattern: time))
          issued.take(live)
          seen = max(seen ?? live, live)
        }
        #expect(try issued.last(until: time) == seen)
      }
      all = []
      issued.removeAll()
    }
  }
}
