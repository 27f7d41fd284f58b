import AuditEngine
import Testing

@testable import AuditState

/// A clock that goes wrong, and records from the future, never empty the memory.
struct StateAgeTests {
  private let bench: StateBench

  init() throws { bench = StateBench() }

  /// A night by the clock of a day, with a record of another.
  private func night(clock: Int, record: Int? = nil) throws {
    var random = RandomState()
    try bench.night(clock) { history throws in
      if let record {
        try history.remember(records: [random.record(random.bytes(32), day: record)])
      }
    }
  }

  private var hashSegments: Int {
    get throws { try bench.open(.reference).info().hashSegments }
  }

  @Test func `what is older than the window goes once newer records have come`() throws {
    for day in 0..<40 { try night(clock: day, record: day) }
    // The window of the last run ends at the last record of the one before.
    #expect(try hashSegments == 32)
  }

  @Test func `a record is remembered until it is older than the window`() {
    var entry = SegmentEntry()
    (entry.created, entry.latest) = (-100, 0)
    #expect(!entry.isExpired(now: 10, span: 10) && entry.isExpired(now: 11, span: 10))
  }

  @Test(arguments: [(0, 2), (12, 0)])
  func `what a run kept of keys stays as long as what an earlier one kept`(
    _ first: Int, _ expired: Int
  ) throws {
    var random = RandomState()
    for (clock, record) in [(0, first), (1, 1)] {
      try bench.night(clock) { history throws in
        try history.remember(records: [random.record(random.bytes(32), day: record)])
        try history.keep(rows: [random.bytes(100)])
      }
    }
    try bench.night(10, pending: 30) { history throws in
      try history.remember(records: [random.record(random.bytes(32), day: 10)])
    }
    #expect(try bench.open(day: 10).prune(StateBench.facts(10)).segments == expired)
  }

  @Test func `a clock that is a month ahead forgets nothing (detection.R29)`() throws {
    for day in 0..<3 { try night(clock: day, record: day) }
    try night(clock: 300, record: 3)
    try night(clock: 300)
    for day in 4..<6 { try night(clock: day, record: day) }
    #expect(try hashSegments == 6)
    #expect(try bench.open(day: 900).prune(StateBench.facts(900)).segments == 0)
    // What was written by that clock does not stay for ever.
    try night(clock: 60, record: 60)
    try night(clock: 61)
    #expect(try hashSegments == 1)
  }

  // detection.R29.
  @Test func `a record from the future forgets nothing, not even with a clock that goes wrong`()
    throws
  {
    for day in 0..<3 { try night(clock: day, record: day) }
    try night(clock: 3, record: 9000)
    try night(clock: 4, record: 4)
    try night(clock: 800)
    try night(clock: 5, record: 5)
    #expect(try hashSegments == 6)
  }
}
