import AuditEngine
import Testing

@testable import AuditState

struct EventMemoryTests {
  @Test func `kept rows come back for a few nights, a run each, as often as they are asked for`()
    throws
  {
    let bench = StateBench()
    var random = RandomState()
    func rows(_ count: Int) -> [[UInt8]] {
      (0..<count).map { _ in random.bytes([57, 90, 300, 16_384].randomElement() ?? 57) }
    }
    let nights = [rows(40), [], rows(1), rows(2000)]
    for (day, rows) in nights.enumerated() {
      try bench.night(day) { try $0.keep(rows: rows) }
    }
    try bench.night(4) { history throws in
      // The first night's have been kept for four days.
      for _ in 0..<2 { #expect(try history.keptRows() == [nights[2], nights[3]]) }
    }
    #expect(try bench.files.filter { $0.hasPrefix("events/") } == ["events/3.seg", "events/4.seg"])
    #expect(try StateVerification.run(path: bench.path).damages == [])
  }

  @Test func `rows are read from each mark on as from the front`() throws {
    let bench = StateBench()
    var random = RandomState()
    let nights = (0..<2).map { night in
      (0..<6000).map { _ in random.bytes([57, 90, 300, 3000].randomElement() ?? 57) }
        .sorted { $0.lexicographicallyPrecedes($1) }.prefix(night == 0 ? 6000 : 5)
    }.map(Array.init)
    for (day, rows) in nights.enumerated() {
      try bench.night(day) { try $0.keep(rows: rows) }
    }
    try bench.night(2) { history throws in
      let marks = try history.events.marks()
      // The second run is too short for one.
      #expect(marks.count > 2 && marks.allSatisfy { $0.run == 1 })
      #expect(zip(marks, marks.dropFirst()).allSatisfy { $0.position < $1.position })
      for mark in marks {
        let read = try history.keptRows(from: [mark])
        let first = try #require(read[0].first)
        #expect(first.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } == mark.head)
        let index = try #require(nights[0].firstIndex(of: first))
        #expect(nights[0][..<index].reduce(0) { $0 + 4 + $1.count } == mark.position)
        #expect(read[0] == Array(nights[0][index...]))
        #expect(read[1] == nights[1])
      }
    }
  }
}
