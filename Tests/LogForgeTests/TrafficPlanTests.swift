import Testing

@testable import LogForge

struct TrafficPlanTests {
  private func plan(zipf: Bool, challenges: Bool) -> TrafficPlan {
    var options = ForgeOptions(keys: 20, assertions: 1_003, files: 1, seed: 9)
    options.zipf = zipf
    options.challengeRecords = challenges
    return TrafficPlan(options)
  }

  private static let day = Int64.min / 4..<Int64.max / 4

  @Test(arguments: [false, true], [false, true])
  func `every event is there once`(zipf: Bool, challenges: Bool) {
    let plan = plan(zipf: zipf, challenges: challenges)
    let rows = plan.rows(in: Self.day, server: 0, of: 1)
    #expect(rows.count == 1_023 * (challenges ? 2 : 1))
    let names = Set(rows.map { "\($0.key) \($0.event) \($0.isChallenge)" })
    #expect(names.count == rows.count)
    #expect(zip(rows, rows.dropFirst()).allSatisfy { $0.time <= $1.time })
  }

  @Test func `pieces of the day and servers make up the whole`() {
    let plan = plan(zipf: true, challenges: true)
    let whole = plan.rows(in: Self.day, server: 0, of: 1).count
    let cuts = stride(from: TrafficPlan.dayStart, through: TrafficPlan.dayEnd, by: 3_456_789)
    var parts = 0
    for cut in cuts {
      for server in 0..<3 {
        parts += plan.rows(in: cut..<cut + 3_456_789, server: server, of: 3).count
      }
    }
    #expect(parts == whole)
  }

  @Test(arguments: [false, true])
  func `a key's events are in order and follow its attestation`(zipf: Bool) {
    let rows = plan(zipf: zipf, challenges: false).rows(in: Self.day, server: 0, of: 1)
    for key in 0..<20 {
      let own = rows.filter { $0.key == UInt32(key) }
      #expect(own.map(\.event) == Array(0..<UInt32(own.count)))
    }
  }

  @Test(arguments: [1, 2, 3, 6, 7, 48])
  func `the files' names are in order and their hours cover the day`(count: Int) {
    let files = FilePlan.files(count: count)
    #expect(files.count == count)
    #expect(files.map(\.name) == files.map(\.name).sorted())
    for time in stride(from: TrafficPlan.dayStart - 9, to: TrafficPlan.dayEnd, by: 999_999) {
      let line = ForgedLine(time: time, server: 1, bytes: [], findings: [])
      #expect(files.count { $0.holds(line) } == 1)
    }
  }

  @Test func `Zipf's law gives the first key most`() {
    let counts = TrafficPlan.zipf(keys: 100, assertions: 10_000)
    #expect(counts.reduce(0, +) == 10_000)
    #expect(counts[0] > 1_800 && counts[99] < 30)
  }
}
