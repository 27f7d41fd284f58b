internal import AuditLog
internal import Files

enum StateSchema {
  /// Times are milliseconds since 1970; positions are source and line, whose lowest 16 bits are
  /// the number of the record in the line; digests are 32 bytes.
  private static let tables = """
    CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL, checksum INTEGER NOT NULL)
      WITHOUT ROWID;
    CREATE TABLE keys (key_id BLOB PRIMARY KEY, public_key BLOB, app_id TEXT, environment INTEGER,
      attested_at INTEGER, valid_source INTEGER, valid_line INTEGER, first_valid_time INTEGER,
      first_source INTEGER, first_line INTEGER, first_time INTEGER, os_version TEXT,
      category INTEGER, bundle_version TEXT, receipt_type TEXT, receipt_created INTEGER,
      risk_metric TEXT, platform INTEGER, has_subject INTEGER NOT NULL, subject_identity BLOB,
      subject_source INTEGER, subject_line INTEGER, subject_time INTEGER, subject TEXT,
      waiting_from INTEGER NOT NULL, counters BLOB NOT NULL, checksum INTEGER NOT NULL)
      WITHOUT ROWID;
    CREATE TABLE brought_keys (key_id BLOB PRIMARY KEY, checksum INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE devices (device BLOB NOT NULL, time INTEGER NOT NULL, key_id BLOB NOT NULL,
      valid INTEGER NOT NULL, name TEXT, run INTEGER NOT NULL, number INTEGER NOT NULL,
      checksum INTEGER NOT NULL, PRIMARY KEY (device, time, run, number)) WITHOUT ROWID;
    CREATE INDEX devices_by_key ON devices (key_id);
    CREATE TABLE imported_keys (key_id BLOB PRIMARY KEY, public_key BLOB NOT NULL,
      app_id TEXT NOT NULL, environment INTEGER, attested_at INTEGER, last_counter INTEGER,
      counter_time INTEGER, subject TEXT, logged INTEGER NOT NULL, source INTEGER NOT NULL,
      line INTEGER NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE imported_devices (device BLOB NOT NULL, key_id BLOB NOT NULL, name TEXT NOT NULL,
      checksum INTEGER NOT NULL, PRIMARY KEY (device, key_id)) WITHOUT ROWID;
    CREATE INDEX imported_devices_by_key ON imported_devices (key_id);
    CREATE TABLE findings (fingerprint INTEGER PRIMARY KEY, code TEXT NOT NULL, key_id BLOB,
      first_day TEXT NOT NULL, times INTEGER NOT NULL, first_run INTEGER NOT NULL,
      last_run INTEGER NOT NULL, closed_run INTEGER, worst INTEGER NOT NULL,
      app_id TEXT NOT NULL, time INTEGER, source INTEGER, line INTEGER,
      accepted INTEGER NOT NULL, untold INTEGER NOT NULL, records INTEGER NOT NULL,
      most INTEGER NOT NULL, row BLOB NOT NULL, checksum INTEGER NOT NULL);
    CREATE INDEX open_findings_by_time ON findings (time) WHERE closed_run IS NULL;
    CREATE TABLE builds (build BLOB PRIMARY KEY, app_id TEXT NOT NULL, platform INTEGER,
      category INTEGER, bundle_version TEXT NOT NULL, code_hash BLOB NOT NULL,
      first_night TEXT NOT NULL, nights INTEGER NOT NULL, checksum INTEGER NOT NULL)
      WITHOUT ROWID;
    CREATE TABLE runs (run INTEGER PRIMARY KEY, id TEXT NOT NULL, day TEXT NOT NULL,
      started INTEGER NOT NULL, finished INTEGER NOT NULL, mode TEXT NOT NULL, report TEXT,
      lines INTEGER NOT NULL, records INTEGER NOT NULL, rejects INTEGER NOT NULL,
      findings INTEGER NOT NULL, new_findings INTEGER NOT NULL, kept_for INTEGER,
      pending_for INTEGER, checksum INTEGER NOT NULL);
    CREATE TABLE segments (kind TEXT NOT NULL, run INTEGER NOT NULL, row_count INTEGER NOT NULL,
      bytes INTEGER NOT NULL, sha256 BLOB NOT NULL, created INTEGER NOT NULL, latest INTEGER,
      devices INTEGER NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY (kind, run)) WITHOUT ROWID;
    CREATE TABLE sources (source INTEGER PRIMARY KEY, run INTEGER NOT NULL, name TEXT NOT NULL,
      checksum INTEGER NOT NULL);
    CREATE INDEX sources_by_name ON sources (name, source);
    CREATE TABLE source_order (part INTEGER PRIMARY KEY, sources BLOB NOT NULL,
      checksum INTEGER NOT NULL);
    CREATE TABLE inputs (source INTEGER PRIMARY KEY, name TEXT NOT NULL, lines INTEGER NOT NULL,
      content BLOB NOT NULL, first BLOB NOT NULL, earliest INTEGER, latest INTEGER,
      damage BLOB NOT NULL, run INTEGER NOT NULL, checksum INTEGER NOT NULL);
    CREATE INDEX inputs_by_run ON inputs (run);
    CREATE TABLE stamps (path TEXT NOT NULL, device INTEGER NOT NULL, inode INTEGER NOT NULL,
      size INTEGER NOT NULL, modified INTEGER NOT NULL, changed INTEGER NOT NULL,
      source INTEGER NOT NULL, checksum INTEGER NOT NULL,
      PRIMARY KEY (path, device, inode, size, modified, changed)) WITHOUT ROWID;
    CREATE INDEX stamps_by_file ON stamps (device, inode);
    CREATE TABLE lines (source INTEGER NOT NULL, part INTEGER NOT NULL, digests BLOB NOT NULL,
      checksum INTEGER NOT NULL, PRIMARY KEY (source, part)) WITHOUT ROWID;
    CREATE TABLE grown (source INTEGER PRIMARY KEY, origin BLOB NOT NULL,
      checksum INTEGER NOT NULL);
    CREATE TABLE replaced (source INTEGER PRIMARY KEY, lines BLOB NOT NULL,
      checksum INTEGER NOT NULL);
    """

  /// Throws `.damaged` or `.otherFormat` unless the tables are of the version that the program knows.
  static func check(_ database: StateDatabase, path: String) throws(StateError) {
    let hasTables = try database.number("SELECT 1 FROM sqlite_master WHERE name = 'meta'")
    // Read without its checksum: another version's can be different.
    let text = "SELECT value FROM meta WHERE name = '\(MetaTable.Name.format.rawValue)'"
    guard hasTables != nil, let version = try database.number(text), version > 0,
      version < 1 << 31
    else { throw .damaged(StateFormat.database, "it has no format version") }
    guard version == StateFormat.version else {
      let age = version < StateFormat.version ? "an earlier" : "a newer"
      throw StateError(
        .otherFormat(Int(version)),
        "the state \(path) has the format \(version) of \(age) version; this one knows the "
          + "format \(StateFormat.version)")
    }
  }

  static func make(_ database: StateDatabase) throws(StateError) {
    try database.write { () throws(StateError) in
      for statement in tables.split(separator: ";") { try database.run(String(statement)) }
      try MetaTable.set(database, .format, Int64(StateFormat.version))
      try MetaTable.set(database, LineKey())
    }
  }
}
