internal import GRDB

/// A run that was committed.
package struct CommittedRun: Sendable, Equatable {
  /// The number of the run, counted from 1.
  package var number: Int64
  /// `summary.json`'s `run.id`.
  package var id: String
  /// The run's `--date`: `2026-11-20`.
  package var day: String
  /// Milliseconds since 1970.
  package var started: Int64
  /// Milliseconds since 1970.
  package var finished: Int64
  /// The word for what made it: a run's mode, or `import`.
  package var mode: String
  /// The absolute path of its report, or nil if it had none.
  package var report: String?
  package var totals: CommittedTotals
  /// How long the state is kept, in milliseconds, or nil if the run did not say.
  package var windows: StateWindows?
}

/// How long a state is kept, in milliseconds.
package struct StateWindows: Sendable, Equatable {
  /// The time for which hashes are remembered.
  package var window: Int64
  /// The time for which events are kept.
  package var pendingFor: Int64

  package init(window: Int64, pendingFor: Int64) {
    self.window = window
    self.pendingFor = pendingFor
  }
}

/// The outcome of a run, as `state info` shows it.
package struct CommittedTotals: Sendable, Equatable {
  package var lines: UInt64 = 0
  /// Attestations, assertions and challenges.
  package var records: UInt64 = 0
  package var rejects: UInt64 = 0
  package var findings: UInt64 = 0
  /// The findings that no earlier run reported.
  package var newFindings: UInt64 = 0

  package init() {}
}

/// The runs that were committed.
enum RunTable {
  static let table = CheckedTable(
    "runs", key: ["run"],
    [
      "id", "day", "started", "finished", "mode", "report", "lines", "records", "rejects",
      "findings", "new_findings", "kept_for", "pending_for",
    ])

  /// Returns the number of the last run, or 0 if there was no run.
  static func last(_ database: Database) throws(StateError) -> Int64 {
    try table.row(database, "ORDER BY run DESC LIMIT 1")?.integer(0) ?? 0
  }

  /// Returns whether a run of that id was committed.
  static func contains(_ database: Database, id: String) throws(StateError) -> Bool {
    try table.row(database, "WHERE id = ?", [.text(id)]) != nil
  }

  /// Returns the last runs, the latest first.
  static func latest(_ database: Database, limit: Int) throws(StateError) -> [CommittedRun] {
    var runs: [CommittedRun] = []
    try table.each(database, "ORDER BY run DESC LIMIT ?", [.integer(Int64(limit))]) {
      row throws(StateError) in runs.append(try run(row))
    }
    return runs
  }

  /// Returns the run with a number, or nil if there is none.
  static func run(_ database: Database, number: Int64) throws(StateError) -> CommittedRun? {
    try table.row(database, "WHERE run = ?", [.integer(number)])
      .map { row throws(StateError) in try run(row) }
  }

  /// Returns the number of the run with an identifier, or nil if there is none.
  static func number(_ database: Database, id: String) throws(StateError) -> Int64? {
    try table.row(database, "WHERE id = ?", [.text(id)])
      .map { row throws(StateError) in try row.integer(0) }
  }

  /// Returns the runs from one on, in their order.
  static func runs(_ database: Database, from number: Int64) throws(StateError) -> [CommittedRun] {
    var runs: [CommittedRun] = []
    try table.each(database, "WHERE run >= ? ORDER BY run", [.integer(number)]) {
      row throws(StateError) in runs.append(try run(row))
    }
    return runs
  }

  /// Returns how long the last run that recorded it keeps the state, or nil if none did.
  static func windows(_ database: Database) throws(StateError) -> StateWindows? {
    try table.row(database, "WHERE kept_for IS NOT NULL ORDER BY run DESC LIMIT 1")
      .map { row throws(StateError) in try run(row) }?.windows
  }

  /// Returns the days of all runs, by their numbers.
  static func days(_ database: Database) throws(StateError) -> [Int64: String] {
    var days: [Int64: String] = [:]
    try table.each(database) { row throws(StateError) in
      days[try row.integer(0)] = try row.text(2)
    }
    return days
  }

  private static func run(_ row: CheckedRow) throws(StateError) -> CommittedRun {
    var totals = CommittedTotals()
    totals.lines = try row.bits(7)
    totals.records = try row.bits(8)
    totals.rejects = try row.bits(9)
    totals.findings = try row.bits(10)
    totals.newFindings = try row.bits(11)
    return CommittedRun(
      number: try row.integer(0), id: try row.text(1), day: try row.text(2),
      started: try row.integer(3), finished: try row.integer(4), mode: try row.text(5),
      report: row.isNull(6) ? nil : try row.text(6), totals: totals,
      windows: row.isNull(12)
        ? nil : StateWindows(window: try row.integer(12), pendingFor: try row.integer(13)))
  }

  static func insert(_ database: Database, _ run: CommittedRun) throws(StateError) {
    try table.insert(
      database,
      [
        .integer(run.number), .text(run.id), .text(run.day), .integer(run.started),
        .integer(run.finished), .text(run.mode), run.report.map(SQLValue.text) ?? .null,
        .bits(run.totals.lines), .bits(run.totals.records), .bits(run.totals.rejects),
        .bits(run.totals.findings), .bits(run.totals.newFindings),
        .optional(run.windows?.window), .optional(run.windows?.pendingFor),
      ])
  }
}
