internal import AppAttest
internal import AuditEngine
internal import GRDB

/// The findings that runs reported, by their fingerprints.
enum FindingTable {
  static let table = CheckedTable(
    "findings", key: ["fingerprint"],
    [
      "code", "key_id", "first_day", "times", "first_run", "last_run", "closed_run",
      "worst", "app_id", "time", "source", "line", "accepted", "records",
    ])

  /// A row.
  struct Entry: Equatable {
    var fingerprint: UInt64
    /// The name of its code.
    var code: String
    var keyID: Digest256?
    var firstDay: String
    /// The number of runs that reported it.
    var times: Int64 = 0
    var firstRun: Int64
    var lastRun: Int64 = 0
    /// The run in which it was found to stand no longer, or nil if it still stands.
    var closedRun: Int64?
    /// The worst severity that it was ever reported with.
    var worst = Severity.info
    /// The app of the last report of the worst severity; its time and position follow.
    var appID = ""
    var time: Int64?
    var position: Position?
    /// Whether the settings of the last run accepted it.
    var isAccepted = false
    /// Whether every run that found it accepted it: nobody was told of it.
    var isUntold = false
    /// The number of records that it stands for and that are not explained: all assertions of a
    /// key, if it counts these, or else the records with its fingerprint. For lines that are not
    /// audited, it is the most that a run counted which the server did not reject.
    var records: Int64 = 0
  }

  /// The value of the column `accepted` where nobody was ever told of a finding; 1 where the last
  /// run accepted it.
  private static let untold: Int64 = 2

  static func entry(
    _ database: Database, _ fingerprint: UInt64
  ) throws(StateError) -> Entry? {
    try table.row(database, "WHERE fingerprint = ?", [.bits(fingerprint)])
      .map { row throws(StateError) in try entry(row) }
  }

  static func entry(_ row: CheckedRow) throws(StateError) -> Entry {
    var entry = Entry(
      fingerprint: try row.bits(0), code: try row.text(1),
      keyID: row.isNull(2) ? nil : try row.digest(2), firstDay: try row.text(3),
      times: try row.integer(4), firstRun: try row.integer(5), lastRun: try row.integer(6),
      closedRun: try row.optionalInteger(7))
    guard let severity = Severity(rawValue: try row.number(8)) else { throw row.nonsense }
    entry.worst = severity
    entry.appID = row.isNull(9) ? "" : try row.text(9)
    entry.time = try row.optionalInteger(10)
    entry.position = try row.position(11)
    let acceptance = try row.optionalInteger(13) ?? 0
    entry.isAccepted = acceptance != 0
    entry.isUntold = acceptance == untold
    entry.records = try row.integer(14)
    return entry
  }

  static func put(_ database: Database, _ entry: Entry) throws(StateError) {
    try table.put(
      database,
      [
        .bits(entry.fingerprint), .text(entry.code), entry.keyID.map(SQLValue.digest) ?? .null,
        .text(entry.firstDay), .integer(entry.times), .integer(entry.firstRun),
        .integer(entry.lastRun), .optional(entry.closedRun),
        .integer(Int64(entry.worst.rawValue)),
        entry.appID.isEmpty ? .null : .text(entry.appID), .optional(entry.time),
        .source(entry.position), .line(entry.position),
        entry.isAccepted ? .integer(entry.isUntold ? untold : 1) : .null,
        .integer(entry.records),
      ])
  }

  /// Returns when a finding was reported before `run`, whatever that has put here already.
  static func sighting(
    _ database: Database, _ fingerprint: UInt64, before run: Int64
  ) throws(StateError) -> Sighting? {
    guard let entry = try entry(database, fingerprint), entry.firstRun < run else { return nil }
    let times = entry.times - (entry.lastRun >= run ? 1 : 0)
    var sighting = Sighting(
      firstSeen: entry.firstDay, times: UInt64(max(times, 0)), worst: entry.worst,
      isClosed: entry.closedRun.map { $0 < run } ?? false)
    sighting.isUntold = entry.isUntold
    sighting.records = UInt64(clamping: entry.records)
    return sighting
  }

  /// A run's report of a finding.
  struct Report {
    var fingerprint: UInt64
    var code: FindingCode
    var severity: Severity
    var keyID: Digest256?
    var appID: String
    var time: Int64?
    var position: Position
    var isAccepted: Bool
    /// The number of records that it counts (``Finding/countToRemember``).
    var count: UInt64
  }

  /// The findings that count all assertions of a key.
  private static let counting: [FindingCode] = [.keyUnknown, .keyUntrusted]

  /// A run that is about to be committed.
  struct Run {
    var number: Int64
    var day: String
    /// Its sources are numbered from here on.
    var firstSource: UInt32
  }

  /// Records that a run reports a finding. Of several with its fingerprint in one run the most
  /// severe counts.
  static func take(
    _ database: Database, _ report: Report, _ run: Run
  ) throws(StateError) {
    var entry =
      try entry(database, report.fingerprint)
      ?? Entry(
        fingerprint: report.fingerprint, code: report.code.name, keyID: report.keyID,
        firstDay: run.day, firstRun: run.number)
    let isFirst = entry.lastRun < run.number
    if report.code == .recordNotAudited {
      entry.records = max(entry.records, Int64(clamping: report.count))
    } else {
      let isNew = entry.times == 0 || entry.closedRun != nil
      // A record of an earlier run, of which something more severe is said now, is counted already.
      let isCounted =
        !isNew && !counting.contains(report.code) && report.position.source < run.firstSource
      let (sum, overflow) = (isNew ? 0 : entry.records).addingReportingOverflow(
        isCounted ? 0 : Int64(clamping: report.count))
      entry.records = overflow ? .max : sum
    }
    if isFirst {
      entry.isUntold = entry.isUntold || entry.times == 0
      entry.times &+= 1
      entry.lastRun = run.number
      entry.closedRun = nil
      entry.isAccepted = true
    }
    entry.isAccepted = entry.isAccepted && report.isAccepted
    entry.isUntold = entry.isUntold && report.isAccepted
    if isFirst || report.severity > entry.worst {
      entry.code = report.code.name
      entry.keyID = report.keyID
      entry.appID = report.appID
      entry.time = report.time
      entry.position = report.position
    }
    entry.worst = max(entry.worst, report.severity)
    try put(database, entry)
  }

  /// Records that so many of the records that a finding counts are explained.
  static func explain(
    _ database: Database, _ fingerprint: UInt64, records: Int64
  ) throws(StateError) {
    guard var entry = try entry(database, fingerprint) else { return }
    entry.records = max(0, entry.records - min(entry.records, records))
    try put(database, entry)
  }

  /// Records that a finding no longer stands since `run`. A finding that nobody reported is no
  /// matter.
  static func close(
    _ database: Database, _ fingerprint: UInt64, run: Int64
  ) throws(StateError) {
    guard var entry = try entry(database, fingerprint) else { return }
    entry.closedRun = run
    try put(database, entry)
  }
}
