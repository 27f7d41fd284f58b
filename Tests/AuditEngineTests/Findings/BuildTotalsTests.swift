import AppAttest
import AuditLog
import TestSupport
import Testing

@testable import AuditEngine

/// The builds of which the report page draws the requests by hour.
struct BuildTotalsTests {
  private func use(_ number: Int, requests: UInt64, keys: Int = 9, outside: UInt64 = 0) -> BuildUse
  {
    var use = BuildUse(Build(appID: "app", bundleVersion: "\(number)"))
    for key in 0..<keys { use.add(key: Digest128(prefix: UInt64(key))) }
    use.outside = outside
    use.hours.add(0, 1, requests)
    return use
  }

  @Test func `of many builds those with the most requests and the notable ones stay`() {
    var totals = BuildTotals()
    for number in 0..<5_000 {
      totals.add(
        use(number, requests: UInt64(number % 1_000) + 1, outside: number == 700 ? 1 : 0))
      if number == 800 { totals.add(use(-1, requests: 1, keys: 1)) }
    }
    totals.finish()
    let names = totals.uses.map(\.build.bundleVersion)
    #expect(names.count == BuildTotals.useLimit && totals.furtherUses == 5_001 - 40)
    #expect(names.contains("700") && names.contains("-1") && names.contains("999"))
    #expect(totals.uses.count { $0.requests >= 997 } >= 15)
  }

  @Test func `keys are named if they are few`() {
    #expect(use(1, requests: 1, keys: 16).keyPrefixes.count == 16)
    let many = use(1, requests: 1, keys: 17)
    #expect(many.keys == 17 && many.keyPrefixes == [])
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `parts add up to the same hours in any order`(_ seed: UInt64) {
    var random = Generator(seed)
    let parts = (0..<60).map { _ in
      var part = BuildPart()
      for _ in 0..<random.below(6) {
        part.hours.add(Int64(random.below(seed < 4 ? 10 : 1_000)) - 5, 1)
      }
      return part
    }
    func sum(_ parts: [BuildPart]) -> TimeBins {
      let sum = TimeBins(sumOf: parts.map(\.hours), kinds: 3, limit: 16)
      #expect(sum.count <= 16)
      #expect(zip(sum.bins, sum.bins.dropFirst()).allSatisfy { $0.index < $1.index })
      #expect(sum.total == parts.reduce(0) { $0 + $1.hours.total })
      return sum
    }
    #expect(sum(parts) == sum(parts.reversed()))
    #expect(sum(parts) == sum(parts.shuffled(using: &random)))
  }

  @Test func `tables of different widths add up`() {
    var (narrow, wide) = (TimeBins(kinds: 1, limit: 9), TimeBins(kinds: 1, limit: 9))
    for hour in 0..<3 { narrow.add(Int64(hour), 0) }
    for hour in 0..<40 { wide.add(Int64(hour - 20), 0) }
    #expect(wide.bins.count <= 9 && wide.width > 1)
    let sum = TimeBins(sumOf: [narrow, wide], kinds: 1, limit: 4)
    #expect(sum.bins.reduce(0) { $0 + $1.counts[0] } == 43 && sum.bins.count <= 4)
    let strip = sum.strip(72)
    #expect(strip.map { narrow.columns(of: $0).joined().reduce(0, +) } == 3)
  }

  @Test func `hours that do not ascend are counted as if they did`() {
    var (bins, sorted) = (TimeBins(kinds: 1, limit: 9), TimeBins(kinds: 1, limit: 9))
    let hours: [Int64] = [9, 3, 3, 7, -2, 9, 40, 1]
    for hour in hours { bins.add(hour, 0) }
    for hour in hours.sorted() { sorted.add(hour, 0) }
    #expect(bins == sorted)
  }

  @Test func `stored bins are read as they were, and others are refused`() {
    var bins = TimeBins(kinds: 3, limit: 8)
    for hour in 0..<30 { bins.add(Int64(hour), hour % 3) }
    func read(_ width: Int64, _ list: [TimeBins.Bin]) -> TimeBins? {
      TimeBins(kinds: 3, limit: 8, width: width, bins: list)
    }
    #expect(read(bins.width, bins.bins) == bins)
    #expect(read(3, bins.bins) == nil && read(0, []) == nil && read(.max, []) == nil)
    #expect(read(1, bins.bins.reversed()) == nil)
    #expect(read(1, [TimeBins.Bin(index: .min, counts: [0, 0, 0])]) == nil)
    #expect(read(1, [TimeBins.Bin(index: 1, counts: [0])]) == nil)
  }
}
