internal import AppAttest
internal import AuditEngine
internal import GRDB

/// The keys of imported lists, one row for each, and the devices that they give them.
enum ImportedKeyTable {
  static let table = CheckedTable(
    "imported_keys", key: ["key_id"],
    [
      "public_key", "app_id", "environment", "attested_at", "last_counter", "counter_time",
      "subject", "logged", "source", "line",
    ])
  static let devices = CheckedTable("imported_devices", key: ["device", "key_id"], ["name"])

  private static let isKey = "WHERE key_id = ?"

  /// Returns whether the table has no rows.
  static func isEmpty(_ database: Database) throws(StateError) -> Bool {
    try table.row(database, "LIMIT 1") == nil
  }

  /// Returns what lists say of a key, with the first device that they give it, or nil if none has it.
  static func key(
    _ database: Database, _ keyID: Digest256
  ) throws(StateError) -> ImportedKey? {
    guard let row = try table.row(database, isKey, [.digest(keyID)]) else { return nil }
    var imported = try key(row)
    imported.key.deviceID = try devices.row(
      database, isKey + " ORDER BY device LIMIT 1", [.digest(keyID)]
    ).map { (row) throws(StateError) in try row.text(2) }
    return imported
  }

  /// Returns the keys that lists give a device, ascending; `device` is the SHA-256 of its identifier.
  static func keys(
    _ database: Database, ofDevice device: Digest256
  ) throws(StateError) -> [KnownKey] {
    var names: [(keyID: Digest256, name: String)] = []
    try devices.each(
      database, "WHERE device = ? ORDER BY key_id", [.digest(device)]
    ) { row throws(StateError) in
      names.append((try row.digest(1), try row.text(2)))
    }
    var keys: [KnownKey] = []
    for (keyID, name) in names {
      guard var key = try key(database, keyID)?.key else { continue }
      key.deviceID = name
      keys.append(key)
    }
    return keys
  }

  /// Adds or replaces what lists say of a key.
  static func put(_ database: Database, _ imported: ImportedKey) throws(StateError) {
    let key = imported.key
    try table.put(
      database,
      [
        .digest(key.keyID), .blob(key.publicKey), .text(key.appID),
        .optional(key.environment.map { Int64($0.rawValue) }), .optional(key.attestedAt),
        .optional(key.lastCounter.map(Int64.init)), .optional(key.lastCounterTime),
        key.subject.map { .text($0) } ?? .null, .integer(key.isAttestationLogged ? 1 : 0),
        .source(imported.position), .line(imported.position),
      ])
  }

  /// Adds a device that a list gives a key.
  ///
  /// - Returns: True if the device is new.
  static func put(
    device name: String, of keyID: Digest256, _ database: Database
  ) throws(StateError) -> Bool {
    let device = Digest256.sha256(Array(name.utf8).span)
    return try devices.put(database, [.digest(device), .digest(keyID), .text(name)])
  }

  static func key(_ row: CheckedRow) throws(StateError) -> ImportedKey {
    let point = try row.blob(1)
    guard point.count == 65, let position = try row.position(9) else { throw row.nonsense }
    var key = KnownKey(keyID: try row.digest(0), publicKey: point, appID: try row.text(2))
    if !row.isNull(3) {
      guard let environment = AttestEnvironment(rawValue: try row.number(3)) else {
        throw row.nonsense
      }
      key.environment = environment
    }
    key.attestedAt = try row.optionalInteger(4)
    if !row.isNull(5) { key.lastCounter = try row.number(5) }
    key.lastCounterTime = try row.optionalInteger(6)
    if !row.isNull(7) { key.subject = try row.text(7) }
    key.isAttestationLogged = try row.integer(8) != 0
    return ImportedKey(key: key, position: position)
  }
}
