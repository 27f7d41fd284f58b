internal import AppAttest
internal import AuditEngine
internal import GRDB

/// The registry of keys in two tables: `keys`, which hardly changes, and `counters`, which changes
/// whenever a key is used. Each key has a row in both.
enum KeyTable {
  static let facts = CheckedTable(
    "keys", key: ["key_id"],
    [
      "public_key", "app_id", "environment", "attested_at", "valid_source", "valid_line",
      "first_source", "first_line", "os_version", "category", "bundle_version", "receipt_type",
      "receipt_created", "risk_metric", "subject_identity", "subject", "subject_source",
      "subject_line", "first_valid_time", "waiting_from", "first_time", "subject_time",
      "platform",
    ])
  static let counters = CheckedTable(
    "counters", key: ["key_id"], ["last_counter", "highs", "seen"])

  /// The keys that lists brought since the last run.
  private static let brought = CheckedTable("brought_keys", key: ["key_id"], [])

  private static let isKey = "WHERE key_id = ?"

  /// Returns what is known of a key, or nil if nothing is known.
  static func key(
    _ database: Database, _ keyID: Digest256
  ) throws(StateError) -> KeptKey? {
    guard let row = try facts.row(database, isKey, [.digest(keyID)]) else { return nil }
    var key = try self.key(row)
    try addCounters(database, to: &key)
    return key
  }

  /// Returns at most `limit` keys that follow `keyID` in ascending order, or the first ones if
  /// `keyID` is nil.
  static func keys(
    _ database: Database, after keyID: Digest256?, limit: Int
  ) throws(StateError) -> [KeptKey] {
    var keys: [KeptKey] = []
    try facts.each(
      database, "WHERE key_id > ? ORDER BY key_id LIMIT ?",
      [.blob(keyID?.bytes ?? []), .integer(Int64(limit))]
    ) { row throws(StateError) in keys.append(try key(row)) }
    for index in keys.indices { try addCounters(database, to: &keys[index]) }
    return keys
  }

  /// Adds or replaces a key.
  ///
  /// - Returns: True if the key is new.
  static func put(_ database: Database, _ key: KeptKey) throws(StateError) -> Bool {
    let isNew = try facts.put(database, values(key))
    try counters.put(
      database,
      [
        .digest(key.keyID), .optional(key.lastCounter.map(Int64.init)),
        .blob(CounterBytes.encode(key.highs, stored: key.stored)),
        .blob(CounterBytes.encode(key.seen)),
      ])
    return isNew
  }

  /// Records that a list brought a key.
  static func bring(_ database: Database, _ keyID: Digest256) throws(StateError) {
    try brought.put(database, [.digest(keyID)])
  }

  /// Returns the keys that lists brought since the last run, ascending.
  static func broughtKeys(_ database: Database) throws(StateError) -> [Digest256] {
    var keys: [Digest256] = []
    try brought.each(database, "ORDER BY key_id") { row throws(StateError) in
      keys.append(try row.digest(0))
    }
    return keys
  }

  /// Forgets which keys lists brought: a run has judged what had waited for them.
  static func forgetBrought(_ database: Database) throws(StateError) {
    try SQLStatement(database, "DELETE FROM brought_keys").run()
  }

  private static func values(_ key: KeptKey) -> [SQLValue] {
    let subject = key.subject
    return [
      .digest(key.keyID), .blob(shortPoint(key.publicKey)), .text(key.appID),
      .optional(key.environment.map { Int64($0.rawValue) }), .optional(key.attestedAt),
      .source(key.firstValid), .line(key.firstValid),
      .source(key.firstAttestation), .line(key.firstAttestation),
      .text(key.osVersion), .optional(key.category.map { Int64($0.rawValue) }),
      .text(key.bundleVersion), .text(key.receiptType), .optional(key.receiptCreated),
      .text(key.riskMetric), subject.map { .blob($0.identity) } ?? .null,
      subject.map { .text($0.text) } ?? .null, .source(subject?.position),
      .line(subject?.position), .optional(key.firstValidAt),
      .integer(Int64(key.waitingFrom)), .optional(key.firstAttestationAt),
      .optional(subject?.time), .optional(key.platform.map { Int64($0.rawValue) }),
    ]
  }

  /// The first byte of an uncompressed point says only that it is one.
  private static let pointTag: UInt8 = 4

  private static func shortPoint(_ point: [UInt8]) -> [UInt8] {
    point.count == 65 && point[0] == pointTag ? Array(point.dropFirst()) : point
  }

  static func key(_ row: CheckedRow) throws(StateError) -> KeptKey {
    var key = KeptKey(keyID: try row.digest(0))
    let point = try row.blob(1)
    guard [0, 64, 65].contains(point.count) else { throw row.nonsense }
    key.publicKey = point.count == 64 ? [pointTag] + point : point
    key.appID = try row.text(2)
    if !row.isNull(3) {
      guard let environment = AttestEnvironment(rawValue: try row.number(3)) else {
        throw row.nonsense
      }
      key.environment = environment
    }
    key.attestedAt = try row.optionalInteger(4)
    key.firstValid = try row.position(5)
    key.firstAttestation = try row.position(7)
    key.firstAttestationAt = try row.optionalInteger(21)
    key.osVersion = try row.text(9)
    if !row.isNull(10) { key.category = ValidationCategory(rawValue: try row.number(10)) }
    key.bundleVersion = try row.text(11)
    key.receiptType = try row.text(12)
    key.receiptCreated = try row.optionalInteger(13)
    key.riskMetric = try row.text(14)
    key.firstValidAt = try row.optionalInteger(19)
    if !row.isNull(23) {
      guard let platform = KeyPlatform(rawValue: try row.number(23)) else { throw row.nonsense }
      key.platform = platform
    }
    key.waitingFrom = try row.number(20)
    if !row.isNull(15) {
      key.subject = KeptKey.Subject(
        identity: try row.blob(15), text: try row.text(16), position: try row.position(17),
        time: try row.optionalInteger(22))
    }
    return key
  }

  private static func addCounters(
    _ database: Database, to key: inout KeptKey
  ) throws(StateError) {
    guard let row = try counters.row(database, isKey, [.digest(key.keyID)]) else {
      throw .damaged(StateFormat.database, "a key has no row in the table counters")
    }
    guard let highs = CounterBytes.highs(try row.blob(2)),
      let seen = CounterBytes.seen(try row.blob(3))
    else { throw row.nonsense }
    (key.highs, key.stored) = highs
    key.seen = seen
  }
}

extension KeptKey {
  /// The highest counter that is known, or nil if none is.
  package var lastCounter: UInt32? {
    [highs.lazy.map(\.counter).max(), seen.last?.upperBound].compactMap(\.self).max()
  }
}

extension SQLValue {
  static func source(_ position: Position?) -> SQLValue {
    .optional(position.map { Int64($0.source) })
  }
  static func line(_ position: Position?) -> SQLValue {
    position.map { .bits($0.lineItem) } ?? .null
  }
}

extension CheckedRow {
  /// Returns a position in two columns, the source in the first of them, or nil if that is NULL.
  func position(_ column: Int) throws(StateError) -> Position? {
    isNull(column) ? nil : Position(source: try number(column), lineItem: try bits(column + 1))
  }
}
