internal import AppAttest
internal import AuditEngine
internal import GRDB
internal import Synchronization

/// The findings of earlier runs, and those of this one, which wait for the commit.
final class RunFindings: FindingMemory {
  /// The events of findings. The last one of a finding decides its code and key.
  private struct Waiting {
    var rows: SortedLog
    var count: UInt64 = 0
  }

  private let database: StateDatabase
  private let isAdvance: Bool
  private let run: Int64
  private let waiting: Mutex<Waiting>

  /// Makes the findings of a run. `run` is the number that the run will have.
  init(_ database: StateDatabase, folder: StateFolder, run: Int64, isAdvance: Bool) {
    self.database = database
    self.isAdvance = isAdvance
    self.run = run
    waiting = Mutex(Waiting(rows: SortedLog(folder, keyLength: 8 + 1 + 8)))
  }

  func sighting(_ fingerprint: UInt64) throws(AuditError) -> Sighting? {
    try database.access { database throws(StateError) in
      try FindingTable.sighting(database, fingerprint, before: run)
    }
  }

  func standing(at source: UInt32) throws(AuditError) -> [Finding] {
    var findings: [Finding] = []
    try database.access { database throws(StateError) in
      try FindingTable.table.each(
        database, "WHERE closed_run IS NULL AND source = ? ORDER BY fingerprint",
        [.number(source)]
      ) { (entry: FindingTable.Entry) in
        guard let code = FindingCode(name: entry.code), let position = entry.position else {
          return
        }
        var finding = Finding(
          code, entry.worst, keyID: entry.keyID, fingerprint: entry.fingerprint)
        finding.time = entry.time
        finding.appID = entry.appID
        finding.position = position
        findings.append(finding)
      }
    }
    return findings
  }

  func remember(_ finding: Finding) throws(AuditError) {
    guard isAdvance else { throw .misuse("a finding is remembered without advance") }
    let report = FindingTable.Report(
      code: finding.code, severity: finding.severity, keyID: finding.keyID,
      appID: finding.appID, time: finding.time, position: finding.position,
      isAccepted: finding.isAccepted, count: finding.countToRemember)
    try append(finding.fingerprint, .reported, report.packed)
  }

  func close(_ fingerprint: UInt64) throws(AuditError) {
    guard isAdvance else { throw .misuse("a finding is closed without advance") }
    try append(fingerprint, .closed, [])
  }

  func explain(_ fingerprint: UInt64, records: UInt64) throws(AuditError) {
    guard isAdvance else { throw .misuse("a finding is explained without advance") }
    try append(fingerprint, .explained, SortedLog.big(records))
  }

  /// An event of a finding. The cases are in the order in which they are put into the database.
  private enum Event: UInt8 {
    case explained, reported, closed
  }

  /// Appends a row. Rows sort as the database does, by the fingerprint as a signed number. Those of
  /// one finding sort with the closing last, else in the order in which they came.
  private func append(
    _ fingerprint: UInt64, _ event: Event, _ rest: [UInt8]
  ) throws(AuditError) {
    try waiting.withLock { waiting throws(AuditError) in
      waiting.count += 1
      try waiting.rows.append(
        SortedLog.big(fingerprint ^ 1 << 63) + [event.rawValue] + SortedLog.big(waiting.count)
          + rest)
    }
  }

  /// Puts what was remembered into the database, in ascending order; `day` is the run's, whose
  /// sources are numbered from `firstSource` on.
  func apply(
    to database: Database, day: String, firstSource: UInt32
  ) throws(StateError) {
    let run = FindingTable.Run(number: run, day: day, firstSource: firstSource)
    try waiting.withLock { waiting throws(StateError) in
      try waiting.rows.each { row throws(StateError) in
        let fingerprint = SortedLog.number(row, at: 0) ^ 1 << 63
        let event = Event(rawValue: row[8])
        if event == .closed {
          try FindingTable.close(database, fingerprint, run: run.number)
        } else if event == .explained, row.count == 25 {
          try FindingTable.explain(
            database, fingerprint, records: Int64(clamping: SortedLog.number(row, at: 17)))
        } else if let report = FindingTable.Report(packed: Array(row[17...])) {
          try FindingTable.take(database, fingerprint, report, run)
        } else {
          throw SpillLog.damage
        }
      }
    }
  }
}
