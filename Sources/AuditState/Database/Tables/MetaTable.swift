internal import AuditEngine
internal import AuditLog

/// Single numbers of a state, by their names.
enum MetaTable {
  enum Name: String {
    /// The version of the tables (``StateFormat/version``).
    case format
    /// The number that the next run's first source gets.
    case nextSource = "next_source"
    /// The number of rows of the table `keys`.
    case keys
    /// The latest time of a record that was not later than its run's clock, in milliseconds.
    case latestRecord = "latest_record"
    /// The run that awaited challenges, and the time from which on; 0 if no run did, or a later one checked them.
    case awaitingRun = "awaiting_run"
    case awaitedFrom = "awaited_from"
    /// The halves of the secret key by which lines are compared (``LineKey``).
    case lineKeyFirst = "line_key_1"
    case lineKeySecond = "line_key_2"
  }

  struct Entry: CodedRow {
    var name = ""
    var value: Int64 = 0

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.text(&name)
      try coder.number(&value)
    }
  }

  static let table = CheckedTable("meta", key: "name", of: Entry.self)

  static func value(_ database: StateDatabase, _ name: Name) throws(StateError) -> Int64 {
    try table.row(database, "WHERE name = ?", .text(name.rawValue), as: Entry.self)?.value ?? 0
  }

  static func set(_ database: StateDatabase, _ name: Name, _ value: Int64) throws(StateError) {
    try table.put(database, Entry(name: name.rawValue, value: value))
  }

  /// Returns the run that awaited challenges, or nil if there is none.
  static func awaited(_ database: StateDatabase) throws(StateError) -> AwaitedRun? {
    let run = try value(database, .awaitingRun)
    return run > 0 ? AwaitedRun(run: run, from: try value(database, .awaitedFrom)) : nil
  }

  static func set(_ database: StateDatabase, _ awaited: AwaitedRun?) throws(StateError) {
    // Nothing is written for those who await nothing.
    guard try self.awaited(database) != awaited else { return }
    try set(database, .awaitingRun, awaited?.run ?? 0)
    try set(database, .awaitedFrom, awaited?.from ?? 0)
  }

  static func lineKey(_ database: StateDatabase) throws(StateError) -> LineKey {
    LineKey(
      UInt64(bitPattern: try value(database, .lineKeyFirst)),
      UInt64(bitPattern: try value(database, .lineKeySecond)))
  }

  static func set(_ database: StateDatabase, _ key: LineKey) throws(StateError) {
    try set(database, .lineKeyFirst, Int64(bitPattern: key.halves.0))
    try set(database, .lineKeySecond, Int64(bitPattern: key.halves.1))
  }
}
