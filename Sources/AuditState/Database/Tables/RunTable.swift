package import AuditEngine

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

extension CommittedRun: CodedRow {
  package init() {
    self.init(
      number: 0, id: "", day: "", started: 0, finished: 0, mode: "", report: nil,
      totals: CommittedTotals(), windows: nil)
  }

  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    var (window, pendingFor) = (windows?.window, windows?.pendingFor)
    try coder.number(&number)
    try coder.text(&id)
    try coder.text(&day)
    try coder.number(&started)
    try coder.number(&finished)
    try coder.text(&mode)
    try coder.optional(&report)
    try coder.number(&totals.lines)
    try coder.number(&totals.records)
    try coder.number(&totals.rejects)
    try coder.number(&totals.findings)
    try coder.number(&totals.newFindings)
    try coder.optional(&window)
    try coder.optional(&pendingFor)
    try coder.require((window == nil) == (pendingFor == nil))
    if let window, let pendingFor {
      windows = StateWindows(window: window, pendingFor: pendingFor)
    }
  }
}

enum RunTable {
  static let table = CheckedTable("runs", key: "run", of: CommittedRun.self)

  /// Returns the number of the last run, or 0 if there was no run.
  static func last(_ database: StateDatabase) throws(StateError) -> Int64 {
    try latest(database, limit: 1).first?.number ?? 0
  }

  /// Returns the last runs, the latest first.
  static func latest(_ database: StateDatabase, limit: Int) throws(StateError) -> [CommittedRun] {
    try table.rows(database, "ORDER BY run DESC LIMIT ?", .number(limit))
  }

  static func run(_ database: StateDatabase, number: Int64) throws(StateError) -> CommittedRun? {
    try table.row(database, "WHERE run = ?", .integer(number))
  }

  static func run(_ database: StateDatabase, id: String) throws(StateError) -> CommittedRun? {
    try table.row(database, "WHERE id = ?", .text(id))
  }

  static func runs(_ database: StateDatabase, from number: Int64) throws(StateError)
    -> [CommittedRun]
  {
    try table.rows(database, "WHERE run >= ? ORDER BY run", .integer(number))
  }

  /// Returns how long the last run that recorded it keeps the state, or nil if none did.
  static func windows(_ database: StateDatabase) throws(StateError) -> StateWindows? {
    try table.row(
      database, "WHERE kept_for IS NOT NULL ORDER BY run DESC LIMIT 1", as: CommittedRun.self
    )?.windows
  }

  static func days(_ database: StateDatabase) throws(StateError) -> [Int64: String] {
    let runs = try table.rows(database, as: CommittedRun.self)
    return Dictionary(runs.map { ($0.number, $0.day) }) { first, _ in first }
  }
}
