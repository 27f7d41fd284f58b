internal import AppAttest
internal import AuditEngine

/// The registry of keys.
enum KeyTable {
  static let table = CheckedTable("keys", key: "key_id", of: KeptKey.self)
  /// The keys that lists brought since the last run.
  private static let brought = CheckedTable("brought_keys", key: "key_id", of: RowDigest.self)

  /// Returns what is known of a key, or nil if nothing is known.
  static func key(
    _ database: StateDatabase, _ keyID: Digest256
  ) throws(StateError) -> KeptKey? {
    try table.row(database, "WHERE key_id = ?", .digest(keyID))
  }

  /// Returns at most `limit` keys that follow `keyID`, ascending, or the first ones.
  static func keys(
    _ database: StateDatabase, after keyID: Digest256?, limit: Int
  ) throws(StateError) -> [KeptKey] {
    try table.rows(
      database, "WHERE key_id > ? ORDER BY key_id LIMIT ?", .blob(keyID?.bytes ?? []),
      .number(limit))
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
