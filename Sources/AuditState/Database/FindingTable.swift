internal import AppAttest
internal import AuditEngine
internal import GRDB

/// The findings that runs reported, by their fingerprints.
enum FindingTable {
  static let table = CheckedTable(
    "findings", key: ["fingerprint"],
    ["code", "key_id", "first_day", "times", "first_run", "last_run", "closed_run"])

  /// A row.
  struct Entry: Equatable {
    var fingerprint: UInt64
    /// The name of its code.
    var code: String
    var keyID: Digest256?
    var firstDay: String
    /// The number of runs that reported it.
    var times: Int64
    var firstRun: Int64
    var lastRun: Int64
    /// The run in which it was found to stand no longer; nil: it stands.
    var closedRun: Int64?
  }

  static func entry(
    _ database: Database, _ fingerprint: UInt64
  ) throws(StateError) -> Entry? {
    guard let row = try table.row(database, "WHERE fingerprint = ?", [.bits(fingerprint)]) else {
      return nil
    }
    return Entry(
      fingerprint: try row.bits(0), code: try row.text(1),
      keyID: row.isNull(2) ? nil : try row.digest(2), firstDay: try row.text(3),
      times: try row.integer(4), firstRun: try row.integer(5), lastRun: try row.integer(6),
      closedRun: try row.optionalInteger(7))
  }

  static func put(_ database: Database, _ entry: Entry) throws(StateError) {
    try table.put(
      database,
      [
        .bits(entry.fingerprint), .text(entry.code), entry.keyID.map(SQLValue.digest) ?? .null,
        .text(entry.firstDay), .integer(entry.times), .integer(entry.firstRun),
        .integer(entry.lastRun), .optional(entry.closedRun),
      ])
  }

  /// When a finding was reported before `run`, whatever that has put here already.
  static func sighting(
    _ database: Database, _ fingerprint: UInt64, before run: Int64
  ) throws(StateError) -> Sighting? {
    guard let entry = try entry(database, fingerprint), entry.firstRun < run else { return nil }
    let times = entry.times - (entry.lastRun >= run ? 1 : 0)
    return Sighting(
      firstSeen: entry.firstDay, times: UInt64(max(times, 0)),
      isClosed: entry.closedRun.map { $0 < run } ?? false)
  }

  /// Takes note that `run`, of the day `day`, reports a finding.
  static func report(
    _ database: Database, _ fingerprint: UInt64, code: String, keyID: Digest256?, run: Int64,
    day: String
  ) throws(StateError) {
    var entry =
      try entry(database, fingerprint)
      ?? Entry(
        fingerprint: fingerprint, code: code, keyID: keyID, firstDay: day, times: 0, firstRun: run,
        lastRun: 0, closedRun: nil)
    guard entry.lastRun < run else { return }
    entry.code = code
    entry.keyID = keyID
    entry.times &+= 1
    entry.lastRun = run
    entry.closedRun = nil
    try put(database, entry)
  }

  /// Takes note that a finding no longer stands since `run`; one that nobody reported is no matter.
  static func close(
    _ database: Database, _ fingerprint: UInt64, run: Int64
  ) throws(StateError) {
    guard var entry = try entry(database, fingerprint) else { return }
    entry.closedRun = run
    try put(database, entry)
  }
}
