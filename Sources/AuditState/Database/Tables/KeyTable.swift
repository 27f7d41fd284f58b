internal import AppAttest
internal import AuditEngine

/// The registry of keys: each has a row in `keys`, which hardly changes, and in `counters`.
enum KeyTable {
  struct Facts: CodedRow {
    var key = KeptKey()

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try key.codeFacts(&coder)
    }
  }

  struct Counters: CodedRow {
    var key = KeptKey()

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      var last = key.snapshot.counters.last
      try coder.digest(&key.keyID)
      try coder.optional(&last)
      try key.codeCounters(&coder)
    }
  }

  static let facts = CheckedTable("keys", key: "key_id", of: Facts.self)
  static let counters = CheckedTable("counters", key: "key_id", of: Counters.self)
  /// The keys that lists brought since the last run.
  private static let brought = CheckedTable("brought_keys", key: "key_id", of: RowDigest.self)

  /// Returns what is known of a key, or nil if nothing is known.
  static func key(
    _ database: StateDatabase, _ keyID: Digest256
  ) throws(StateError) -> KeptKey? {
    guard
      let row = try facts.row(database, "WHERE key_id = ?", .digest(keyID), as: Facts.self)
    else { return nil }
    return try key(database, row)
  }

  /// Returns at most `limit` keys that follow `keyID`, ascending, or the first ones.
  static func keys(
    _ database: StateDatabase, after keyID: Digest256?, limit: Int
  ) throws(StateError) -> [KeptKey] {
    try facts.rows(
      database, "WHERE key_id > ? ORDER BY key_id LIMIT ?", .blob(keyID?.bytes ?? []),
      .number(limit), as: Facts.self
    ).map { (row: Facts) throws(StateError) in try key(database, row) }
  }

  private static func key(_ database: StateDatabase, _ row: Facts) throws(StateError) -> KeptKey {
    guard
      let counters = try counters.row(
        database, "WHERE key_id = ?", .digest(row.key.keyID), as: Counters.self)
    else { throw .damaged(StateFormat.database, "a key has no row in the table counters") }
    var key = row.key
    key.snapshot.counters = counters.key.snapshot.counters
    return key
  }

  /// Adds or replaces a key. Returns whether it is new.
  static func put(_ database: StateDatabase, _ key: KeptKey) throws(StateError) -> Bool {
    let isNew = try facts.put(database, Facts(key: key))
    try counters.put(database, Counters(key: key))
    return isNew
  }

  static func bring(_ database: StateDatabase, _ keyID: Digest256) throws(StateError) {
    try brought.put(database, RowDigest(digest: keyID))
  }

  /// Returns the keys that lists brought since the last run, ascending.
  static func broughtKeys(_ database: StateDatabase) throws(StateError) -> [Digest256] {
    try brought.rows(database, "ORDER BY key_id", as: RowDigest.self).map(\.digest)
  }

  /// Forgets which keys lists brought: a run has judged what had waited for them.
  static func forgetBrought(_ database: StateDatabase) throws(StateError) {
    try database.run("DELETE FROM brought_keys")
  }
}
