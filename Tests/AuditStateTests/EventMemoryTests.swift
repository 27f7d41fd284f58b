import AuditEngine
import Testing

@testable import AuditState

struct EventMemoryTests {
  @Test func `kept rows come back for a few nights, a run each, as often as they are asked for`()
    throws
  {
    let bench = try StateBench()
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

  @Test func `a row that is longer than any is refused`() throws {
    let bench = try StateBench()
    let run = try bench.open().beginRun(StateBench.facts(0))
    #expect(throws: AuditError.self) {
      try run.history.keep(rows: [[UInt8](repeating: 0, count: 16_385)])
    }
  }
}
