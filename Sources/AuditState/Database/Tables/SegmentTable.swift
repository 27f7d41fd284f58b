internal import AuditLog
internal import GRDB

/// A segment that the database names.
struct SegmentEntry: Equatable, Sendable {
  var kind: SegmentKind
  /// The run that wrote it.
  var run: Int64
  var rows: UInt64
  /// The file's length.
  var bytes: UInt64
  /// SHA-256 of the file's header, which holds that of everything behind it.
  var sha256: [UInt8]
  /// The time at which the run began, in milliseconds since 1970.
  var created: Int64
  /// The latest time of a record in it, or nil if no record has a time.
  var latest: Int64?

  /// The path in the state directory.
  var path: String { kind.path(run) }

  /// Returns whether it is forgotten at `now` (``StateAge``), where segments are remembered for
  /// `span` milliseconds. One that was made by a clock that had gone wrong counts by its latest
  /// record, unless that lies far in the future itself.
  func isExpired(now: Int64, span: Int64) -> Bool {
    func age(_ time: Int64) -> Int64 {
      let age = now.subtractingReportingOverflow(time)
      return age.overflow ? (time < now ? .max : .min) : age.partialValue
    }
    let farAhead = -max(span, Self.slack)
    guard let latest else { return age(created) > span }
    guard latest <= now else { return age(created) > span && age(latest) < farAhead }
    let isOfTheFuture = age(created) < farAhead
    return age(latest) > span && (isOfTheFuture || age(created) > span)
  }

  /// A run's clock may well be so far ahead of the latest record, in milliseconds.
  private static let slack: Int64 = 86_400_000
}

/// The segments that are part of the state: a file that is not named here is debris.
enum SegmentTable {
  static let table = CheckedTable(
    "segments", key: ["kind", "run"], ["row_count", "bytes", "sha256", "created", "latest"])

  /// Returns all segments, of each kind in the order of runs.
  static func all(_ database: Database) throws(StateError) -> [SegmentEntry] {
    var entries: [SegmentEntry] = []
    try table.each(database, "ORDER BY kind, run") { row throws(StateError) in
      guard let kind = SegmentKind(rawValue: try row.text(0)) else { throw row.nonsense }
      let run = try row.integer(1)
      guard run > 0 else { throw row.nonsense }
      entries.append(
        SegmentEntry(
          kind: kind, run: run, rows: try row.bits(2), bytes: try row.bits(3),
          sha256: try row.blob(4, count: 32), created: try row.integer(5),
          latest: try row.optionalInteger(6)))
    }
    return entries
  }

  static func insert(_ database: Database, _ entry: SegmentEntry) throws(StateError) {
    try table.insert(
      database,
      [
        .text(entry.kind.rawValue), .integer(entry.run), .bits(entry.rows), .bits(entry.bytes),
        .blob(entry.sha256), .integer(entry.created), .optional(entry.latest),
      ])
  }

  static func remove(_ database: Database, _ entry: SegmentEntry) throws(StateError) {
    try SQLStatement(database, "DELETE FROM segments WHERE kind = ? AND run = ?")
      .run([.text(entry.kind.rawValue), .integer(entry.run)])
  }
}
