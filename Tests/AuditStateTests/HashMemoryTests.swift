import AuditEngine
import TestSupport
import Testing

@testable import AuditState

struct HashMemoryTests {
  @Test func `a window over nights gives what one in memory gives`() throws {
    let bench = StateBench()
    let memory = MemoryHistory(windowDays: 2, pendingDays: 2)
    var random = RandomState()
    let pool = (0..<60).map { _ in random.bytes(32) }
    for day in 0..<7 {
      let records = (0..<Int.random(in: 0...300)).map { _ in
        random.record(pool[.random(in: 0..<pool.count)], length: .random(in: 31...32))
      }.sorted { $0.prefix(33).lexicographicallyPrecedes($1.prefix(33)) }
      let groups = Set(
        pool.flatMap { [$0 + [31], $0 + [32]] } + [[UInt8](repeating: 0xFF, count: 33)])
      let expected = memory.beginRun(date: "2026-11-\(10 + day)")
      try bench.night(day, window: 2) { history throws in
        for group in groups.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
          #expect(try history.records(of: group) == (try expected.records(of: group)))
        }
        try history.remember(records: records)
        try expected.remember(records: records)
      }
      memory.commit()
    }
    let found = try StateVerification.run(path: bench.path)
    #expect(found.damages == [])
    #expect(try bench.files.filter { $0.hasPrefix("hashes/") }.count == found.segments)
  }

  @Test func `hashes that begin alike are told apart, and cost no more than others`() throws {
    let bench = StateBench()
    var random = RandomState()
    let prefix = random.bytes(16)
    let alike = (0..<20_000).map { _ in random.record(prefix + random.bytes(16)) }
    let around = (0..<2000).map { _ in random.record(random.bytes(32)) }
    let edges = [
      random.record([UInt8](repeating: 0, count: 32), length: 0),
      random.record([UInt8](repeating: 0xFF, count: 32), length: 255),
    ]
    for day in 0..<2 {
      try bench.night(day) { try $0.remember(records: alike + around + edges) }
    }
    try bench.night(2) { history throws in
      let all = (alike + around + edges).sorted { $0.lexicographicallyPrecedes($1) }
      let clock = ContinuousClock()
      let spent = try clock.measure {
        var wrong = 0
        for record in all {
          if try history.records(of: Array(record.prefix(33))) != [record, record] { wrong += 1 }
        }
        #expect(wrong == 0)
      }
      // Quadratic work would take minutes.
      #expect(spent < .seconds(60))
    }
  }

  @Test func `records that descend are refused`() throws {
    let bench = StateBench()
    var random = RandomState()
    let low = random.record([UInt8](repeating: 1, count: 32))
    let high = random.record([UInt8](repeating: 2, count: 32))
    let run = try bench.open().beginRun(StateBench.facts(0))
    try run.history.put(high)
    #expect(throws: AuditError.self) {
      try run.history.put(low)
    }
    #expect(throws: AuditError.self) {
      try run.history.put([UInt8](repeating: 3, count: 127))
    }
  }
}
