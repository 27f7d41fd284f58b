internal import AppAttest
internal import AuditEngine
internal import GRDB
internal import Synchronization

/// The findings of earlier runs, and those of this one, which wait for the commit.
final class RunFindings: FindingMemory {
  /// What happened to a finding; the last is what counts for its code and key.
  private struct Waiting {
    var rows: SortedLog
    var count: UInt64 = 0
  }

  private let database: StateDatabase
  private let isAdvance: Bool
  private let run: Int64
  private let waiting: Mutex<Waiting>

  /// `run` is the number that the run will have.
  init(_ database: StateDatabase, folder: StateFolder, run: Int64, isAdvance: Bool) {
    self.database = database
    self.isAdvance = isAdvance
    self.run = run
    waiting = Mutex(Waiting(rows: SortedLog(folder, keyLength: 8 + 1 + 8)))
  }

  func sighting(_ fingerprint: UInt64) throws(AuditError) -> Sighting? {
    try asAuditError { () throws(StateError) in
      try database.access { database throws(StateError) in
        try FindingTable.sighting(database, fingerprint, before: run)
      }
    }
  }

  func remember(
    _ fingerprint: UInt64, _ code: FindingCode, keyID: Digest256?
  ) throws(AuditError) {
    guard isAdvance else { throw .misuse("a finding is remembered without advance") }
    try append(fingerprint, isClosed: false, [code.rawValue] + (keyID?.bytes ?? []))
  }

  func close(_ fingerprint: UInt64) throws(AuditError) {
    guard isAdvance else { throw .misuse("a finding is closed without advance") }
    try append(fingerprint, isClosed: true, [])
  }

  func explain(_ fingerprint: UInt64, records: UInt64) throws(AuditError) {
    guard isAdvance else { throw .misuse("a finding is explained without advance") }
  }

  /// Rows sort as the database does, by the fingerprint as a signed number; those of one finding
  /// with the closing last, else in the order in which they came.
  private func append(
    _ fingerprint: UInt64, isClosed: Bool, _ rest: [UInt8]
  ) throws(AuditError) {
    try waiting.withLock { waiting throws(AuditError) in
      waiting.count += 1
      try waiting.rows.append(
        SortedLog.big(fingerprint ^ 1 << 63) + [isClosed ? 1 : 0] + SortedLog.big(waiting.count)
          + rest)
    }
  }

  /// Puts what was remembered into the database, in ascending order; `day` is the run's.
  func apply(to database: Database, day: String) throws(StateError) {
    try waiting.withLock { waiting throws(StateError) in
      try waiting.rows.each { row throws(StateError) in
        let fingerprint = SortedLog.number(row, at: 0) ^ 1 << 63
        if row[8] == 1 {
          try FindingTable.close(database, fingerprint, run: run)
        } else if row.count > 17, let code = FindingCode(rawValue: row[17]) {
          try FindingTable.report(
            database, fingerprint, code: code.name, keyID: Digest256(Array(row[18...])), run: run,
            day: day)
        }
      }
    }
  }
}
