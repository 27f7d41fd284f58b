internal import AppAttest
internal import AuditEngine
internal import Files
internal import Synchronization

/// The findings of earlier runs, and those of this one, which wait for the commit.
final class RunFindings: FindingMemory {
  /// An event of a finding. The cases are in the order in which they are put into the database.
  private enum Event: UInt8 {
    case explained, reported, closed
  }

  /// By the fingerprint as a signed number, as in the database; of one finding the closing last.
  private struct Key: CodedRow {
    var fingerprint: UInt64 = 0
    var event = Event.reported

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      fingerprint ^= 1 << 63
      try coder.key(&fingerprint)
      fingerprint ^= 1 << 63
      try coder.value(&event)
    }
  }

  private let database: StateDatabase
  private let run: Int64
  private let waiting: Mutex<SortedLog<Key, Change>>

  private struct Change: CodedRow {
    /// ``Finding/kept`` of a finding that is reported.
    var finding: [UInt8] = []
    /// The number of records that are explained.
    var records: UInt64 = 0

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.counted(&finding)
      try coder.require(finding.isEmpty || Finding(kept: finding) != nil)
      try coder.number(&records)
    }
  }

  /// Makes the findings of a run. `run` is the number that the run will have.
  init(_ database: StateDatabase, folder: Folder, run: Int64) {
    self.database = database
    self.run = run
    waiting = Mutex(SortedLog(folder))
  }

  func sighting(_ fingerprint: UInt64) throws(AuditError) -> Sighting? {
    try FindingTable.sighting(database, fingerprint, before: run)
  }

  func finding(_ fingerprint: UInt64) throws(AuditError) -> Finding? {
    try FindingTable.entry(database, fingerprint).flatMap { Finding(kept: $0.row) }
  }

  func standing(at source: UInt32) throws(AuditError) -> [Finding] {
    try standing("source", .number(source))
  }

  func standing(atTime time: Int64) throws(AuditError) -> [Finding] {
    try standing("time", .number(time))
  }

  private func standing(
    _ column: String, _ value: SQLValue
  ) throws(AuditError) -> [Finding] {
    try FindingTable.table.rows(
      database, "WHERE closed_run IS NULL AND \(column) = ? ORDER BY fingerprint", value,
      as: FindingTable.Entry.self
    ).compactMap { Finding(kept: $0.row) }
  }

  func remember(_ finding: Finding) throws(AuditError) {
    try append(finding.fingerprint, .reported, Change(finding: finding.kept))
  }

  func close(_ fingerprint: UInt64) throws(AuditError) {
    try append(fingerprint, .closed, Change())
  }

  func explain(_ fingerprint: UInt64, records: UInt64) throws(AuditError) {
    try append(fingerprint, .explained, Change(records: records))
  }

  private func append(
    _ fingerprint: UInt64, _ event: Event, _ change: Change
  ) throws(AuditError) {
    try waiting.withLock { waiting throws(AuditError) in
      try waiting.append(Key(fingerprint: fingerprint, event: event), change)
    }
  }

  /// Puts what was remembered into the database, ascending. `others` are the sources of another log.
  func apply(day: String, firstSource: UInt32, others: Set<UInt32>) throws(StateError) {
    let run = FindingTable.Run(number: run, day: day, firstSource: firstSource, others: others)
    try waiting.withLock { waiting throws(StateError) in
      try waiting.each { key, change, _ throws(StateError) in
        switch key.event {
        case .closed: try FindingTable.close(database, key.fingerprint, run: run.number)
        case .explained:
          try FindingTable.explain(
            database, key.fingerprint, records: Int64(clamping: change.records))
        case .reported:
          if let finding = Finding(kept: change.finding) {
            try FindingTable.take(database, finding, run)
          }
        }
      }
    }
  }
}
