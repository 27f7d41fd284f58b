internal import AppAttest
internal import AuditEngine

/// The keys of imported lists, one row for each, and the devices that they give them.
enum ImportedKeyTable {
  static let table = CheckedTable("imported_keys", key: "key_id", of: ImportedKey.self)
  static let devices = CheckedTable(
    "imported_devices", key: "device", "key_id", of: Device.self)

  struct Device: CodedRow {
    var device = Digest256()
    var keyID = Digest256()
    var name = ""

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      try coder.digest(&device)
      try coder.digest(&keyID)
      try coder.text(&name)
    }
  }

  static func isEmpty(_ database: StateDatabase) throws(StateError) -> Bool {
    try table.row(database, "LIMIT 1", as: ImportedKey.self) == nil
  }

  /// Returns what lists say of a key, with the first device that they give it, or nil if none has it.
  static func key(
    _ database: StateDatabase, _ keyID: Digest256
  ) throws(StateError) -> ImportedKey? {
    let isKey = "WHERE key_id = ?"
    var key = try table.row(database, isKey, .digest(keyID), as: ImportedKey.self)
    key?.key.deviceID = try devices.row(
      database, isKey + " ORDER BY device LIMIT 1", .digest(keyID), as: Device.self)?.name
    return key
  }

  /// Returns the keys that lists give a device, ascending; `device` is the SHA-256 of its identifier.
  static func keys(
    _ database: StateDatabase, ofDevice device: Digest256
  ) throws(StateError) -> [KnownKey] {
    var keys: [KnownKey] = []
    for row in try devices.rows(
      database, "WHERE device = ? ORDER BY key_id", .digest(device), as: Device.self)
    {
      guard var key = try key(database, row.keyID)?.key else { continue }
      key.deviceID = row.name
      keys.append(key)
    }
    return keys
  }

  /// Adds a device that a list gives a key. Returns whether it is new.
  static func put(
    device name: String, of keyID: Digest256, _ database: StateDatabase
  ) throws(StateError) -> Bool {
    let device = Digest256.sha256(Array(name.utf8).span)
    return try devices.put(database, Device(device: device, keyID: keyID, name: name))
  }
}
