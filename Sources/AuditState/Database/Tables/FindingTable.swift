package import AppAttest
package import AuditEngine

/// The findings that runs reported, by their fingerprints.
package enum FindingTable {
  package struct Entry: CodedRow, Equatable, Sendable {
    package var fingerprint: UInt64
    package var code = ""
    package var keyID: Digest256?
    package var firstDay = ""
    package var times: Int64 = 0
    package var firstRun: Int64 = 0
    package var lastRun: Int64 = 0
    /// The run in which it was found to stand no longer, or nil if it still stands.
    package var closedRun: Int64?
    /// The worst severity that it was ever reported with.
    package var worst = Severity.info
    /// The app of the last report of the worst severity; its time and position follow.
    package var appID = ""
    package var time: Int64?
    package var position: Position?
    /// Whether the settings of the last run accepted it.
    package var isAccepted = false
    /// Whether every run that found it accepted it: nobody was told of it.
    package var isUntold = false
    /// The number of records that stand behind it, in inputs that are accounted for: all assertions of
    /// a key, if it counts these, or those with its fingerprint.
    package var records: Int64 = 0
    /// The most of them that a report counted, without those that the server rejected.
    package var most: Int64 = 0
    /// The row of that report (``Finding/kept``).
    var row: [UInt8] = []

    package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.number(&fingerprint)
      try coder.text(&code)
      try coder.optional(&keyID)
      try coder.text(&firstDay)
      try coder.number(&times)
      try coder.number(&firstRun)
      try coder.number(&lastRun)
      try coder.optional(&closedRun)
      try coder.value(&worst)
      try coder.text(&appID)
      try coder.optional(&time)
      try coder.optional(&position)
      try coder.flag(&isAccepted)
      try coder.flag(&isUntold)
      try coder.number(&records)
      try coder.number(&most)
      try coder.counted(&row)
    }
  }

  static let table = CheckedTable("findings", key: "fingerprint", of: Entry.self)

  static func entry(
    _ database: StateDatabase, _ fingerprint: UInt64
  ) throws(StateError) -> Entry? {
    try table.row(database, "WHERE fingerprint = ?", .number(fingerprint))
  }

  /// Returns when a finding was reported before `run`, whatever that has put here already.
  static func sighting(
    _ database: StateDatabase, _ fingerprint: UInt64, before run: Int64
  ) throws(StateError) -> Sighting? {
    guard let entry = try entry(database, fingerprint), entry.firstRun < run else { return nil }
    let times = entry.times - (entry.lastRun >= run ? 1 : 0)
    var sighting = Sighting(
      firstSeen: entry.firstDay, times: UInt64(max(times, 0)), worst: entry.worst,
      isClosed: entry.closedRun.map { $0 < run } ?? false)
    sighting.isUntold = entry.isUntold
    sighting.records = UInt64(clamping: entry.records)
    sighting.most = UInt64(clamping: entry.most)
    return sighting
  }

  /// The findings that count all assertions of a key.
  private static let counting: [FindingCode] = [.keyUnknown, .keyUntrusted]

  struct Run {
    var number: Int64
    var day: String
    /// Its sources are numbered from here on.
    var firstSource: UInt32
    /// Those of them that are another log: their records do not count for findings (`pipeline.R15`).
    var others: Set<UInt32> = []

    /// Returns the number of records that a report adds to those of an earlier one, if any.
    func added(_ finding: Finding, isNew: Bool) -> Int64 {
      if FindingTable.counting.contains(finding.code) {
        return Int64(clamping: finding.countToRemember)
      }
      let source = finding.position.source
      // A record of an earlier run, of which something more severe is said now, is counted already.
      let isCounted = !isNew && source < firstSource
      return isCounted || others.contains(source) ? 0 : Int64(clamping: finding.count)
    }
  }

  /// Records that a run reports a finding. The most severe of its fingerprint counts.
  static func take(
    _ database: StateDatabase, _ finding: Finding, _ run: Run
  ) throws(StateError) {
    let fingerprint = finding.fingerprint
    var entry =
      try entry(database, fingerprint)
      ?? Entry(
        fingerprint: fingerprint, code: finding.code.name, keyID: finding.keyID,
        firstDay: run.day, firstRun: run.number)
    let isFirst = entry.lastRun < run.number
    let isNew = entry.times == 0 || entry.closedRun != nil
    let (before, added) = (isNew ? 0 : entry.records, run.added(finding, isNew: isNew))
    let (sum, overflow) = before.addingReportingOverflow(added)
    entry.records = overflow ? .max : sum
    entry.most = max(entry.most, Int64(clamping: finding.countToRemember))
    if isFirst {
      entry.isUntold = entry.isUntold || entry.times == 0
      entry.times &+= 1
      entry.lastRun = run.number
      entry.closedRun = nil
      // Who accepts a less severe row does not accept the worst one (`reports.R56`).
      entry.isAccepted = entry.isAccepted || isNew || finding.severity >= entry.worst
    }
    entry.isAccepted = entry.isAccepted && finding.isAccepted
    entry.isUntold = entry.isUntold && finding.isAccepted
    // Findings never move (`records.R100`): who logs the same again does not take one over, unless it stood only in
    // another log.
    if isNew || finding.severity > entry.worst || before == 0 && added > 0 {
      entry.code = finding.code.name
      entry.keyID = finding.keyID
      entry.appID = finding.appID
      entry.time = finding.time
      entry.position = finding.position
      entry.row = finding.kept
    }
    entry.worst = max(entry.worst, finding.severity)
    try table.replace(database, entry)
  }

  /// Records that so many of the records that a finding counts are explained.
  static func explain(
    _ database: StateDatabase, _ fingerprint: UInt64, records: Int64
  ) throws(StateError) {
    guard var entry = try entry(database, fingerprint) else { return }
    entry.records = max(0, entry.records - min(entry.records, records))
    try table.replace(database, entry)
  }

  /// Records that a finding no longer stands since `run`, if one was reported.
  static func close(
    _ database: StateDatabase, _ fingerprint: UInt64, run: Int64
  ) throws(StateError) {
    guard var entry = try entry(database, fingerprint) else { return }
    entry.closedRun = run
    try table.replace(database, entry)
  }
}

extension FindingTable.Entry {
  package init() { self.init(fingerprint: 0) }
}
