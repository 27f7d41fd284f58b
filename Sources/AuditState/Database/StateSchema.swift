internal import AuditEngine
internal import GRDB

/// The tables of the database, and how an earlier version's become this one's.
enum StateSchema {
  /// A step that makes a database of one version from the version before. The first step begins with nothing.
  /// Steps that were released are never changed.
  struct Step {
    /// The identifier for `DatabaseMigrator`. No other step has it.
    var name: String
    /// The version that it leads to.
    var version: Int
    /// Statements, each with a semicolon.
    var statements: String
    /// Statements that show the version before as this one to a process that only reads, by
    /// temporary views that hide its tables. It is nil if the version before has to be migrated
    /// first.
    var views: String?
  }

  static let steps = [
    Step(name: "keys, inputs, findings, runs and segments", version: 1, statements: version1),
    Step(
      name: "keeper of a subject", version: 2, statements: version2, views: viewsOfVersion1),
    Step(
      name: "severities, devices by name, damaged inputs", version: 3, statements: version3,
      views: viewsOfVersion2),
    Step(
      name: "events that wait for keys, order of sources", version: 4, statements: version4,
      views: viewsOfVersion3),
    Step(name: "imported keys", version: 5, statements: version5, views: viewsOfVersion4),
  ]

  /// Times are milliseconds since 1970; positions are source and line; digests are 32 bytes.
  private static let version1 = """
    CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL, checksum INTEGER NOT NULL)
      WITHOUT ROWID;
    CREATE TABLE keys (key_id BLOB PRIMARY KEY, public_key BLOB, app_id TEXT, environment INTEGER,
      attested_at INTEGER, valid_source INTEGER, valid_line INTEGER, first_source INTEGER,
      first_line INTEGER, os_version TEXT, category INTEGER, bundle_version TEXT, receipt_type TEXT,
      receipt_created INTEGER, risk_metric TEXT, subject_identity BLOB, subject TEXT,
      subject_source INTEGER, subject_line INTEGER, checksum INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE counters (key_id BLOB PRIMARY KEY, last_counter INTEGER, highs BLOB NOT NULL,
      seen BLOB NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE devices (device BLOB NOT NULL, time INTEGER NOT NULL, run INTEGER NOT NULL,
      number INTEGER NOT NULL, key_id BLOB NOT NULL, valid INTEGER NOT NULL,
      checksum INTEGER NOT NULL, PRIMARY KEY (device, time, run, number)) WITHOUT ROWID;
    CREATE TABLE findings (fingerprint INTEGER PRIMARY KEY, code TEXT NOT NULL, key_id BLOB,
      first_day TEXT NOT NULL, times INTEGER NOT NULL, first_run INTEGER NOT NULL,
      last_run INTEGER NOT NULL, closed_run INTEGER, checksum INTEGER NOT NULL);
    CREATE TABLE runs (run INTEGER PRIMARY KEY, id TEXT NOT NULL, day TEXT NOT NULL,
      started INTEGER NOT NULL, finished INTEGER NOT NULL, mode TEXT NOT NULL, report TEXT,
      lines INTEGER NOT NULL, records INTEGER NOT NULL, rejects INTEGER NOT NULL,
      findings INTEGER NOT NULL, new_findings INTEGER NOT NULL, checksum INTEGER NOT NULL);
    CREATE TABLE sources (source INTEGER PRIMARY KEY, run INTEGER NOT NULL, name TEXT NOT NULL,
      checksum INTEGER NOT NULL);
    CREATE TABLE inputs (source INTEGER PRIMARY KEY, run INTEGER NOT NULL, name TEXT NOT NULL,
      sha256 BLOB NOT NULL, bytes INTEGER NOT NULL, lines INTEGER NOT NULL,
      resume_bytes INTEGER NOT NULL, resume_lines INTEGER NOT NULL, head BLOB,
      checksum INTEGER NOT NULL);
    CREATE INDEX inputs_by_content ON inputs (sha256);
    CREATE INDEX inputs_by_head ON inputs (head, bytes) WHERE head IS NOT NULL;
    CREATE TABLE stamps (path TEXT NOT NULL, device INTEGER NOT NULL, inode INTEGER NOT NULL,
      size INTEGER NOT NULL, modified INTEGER NOT NULL, changed INTEGER NOT NULL,
      source INTEGER NOT NULL, checksum INTEGER NOT NULL,
      PRIMARY KEY (path, device, inode, size, modified, changed)) WITHOUT ROWID;
    CREATE INDEX stamps_by_file ON stamps (device, inode);
    CREATE TABLE segments (kind TEXT NOT NULL, run INTEGER NOT NULL, row_count INTEGER NOT NULL,
      bytes INTEGER NOT NULL, sha256 BLOB NOT NULL, created INTEGER NOT NULL,
      checksum INTEGER NOT NULL, PRIMARY KEY (kind, run)) WITHOUT ROWID;
    """

  /// A column of keys for the run that keeps the record of a key's first subject
  /// (``KeptKey/Subject/keeper``). With this version remembered records have the flag
  /// ``KeptRecord/Flags/blameless``, and kept rows their subject.
  private static let version2 = "ALTER TABLE keys ADD COLUMN subject_keeper INTEGER;"
  private static let viewsOfVersion1 =
    """
    CREATE TEMP VIEW keys AS SELECT *, NULL AS subject_keeper, NULL AS first_valid_time,
      NULL AS waiting_from FROM main.keys;
    """

  /// Columns and tables for: the worst severity of a finding and its place, and the number of
  /// records that it counts; the identifier of a device; the time of a key's first valid
  /// attestation; inputs that were damaged, the digests of their lines then, and the lines that a
  /// whole copy replaced; the latest record in a segment; the time since which files wait.
  private static let version3 = """
    ALTER TABLE findings ADD COLUMN worst INTEGER;
    ALTER TABLE findings ADD COLUMN app_id TEXT;
    ALTER TABLE findings ADD COLUMN time INTEGER;
    ALTER TABLE findings ADD COLUMN source INTEGER;
    ALTER TABLE findings ADD COLUMN line INTEGER;
    ALTER TABLE findings ADD COLUMN accepted INTEGER;
    ALTER TABLE findings ADD COLUMN records INTEGER;
    ALTER TABLE devices ADD COLUMN name TEXT;
    ALTER TABLE keys ADD COLUMN first_valid_time INTEGER;
    CREATE INDEX devices_by_key ON devices (key_id);
    ALTER TABLE inputs ADD COLUMN damaged INTEGER;
    CREATE TABLE lines (source INTEGER NOT NULL, part INTEGER NOT NULL, digests BLOB NOT NULL,
      checksum INTEGER NOT NULL, PRIMARY KEY (source, part)) WITHOUT ROWID;
    CREATE TABLE replaced (source INTEGER PRIMARY KEY, lines BLOB NOT NULL,
      checksum INTEGER NOT NULL);
    ALTER TABLE segments ADD COLUMN latest INTEGER;
    CREATE TABLE waiting (path TEXT PRIMARY KEY, since INTEGER NOT NULL,
      checksum INTEGER NOT NULL) WITHOUT ROWID;
    """
  private static let viewsOfVersion2 = """
    CREATE TEMP VIEW findings AS SELECT *, NULL AS worst, NULL AS app_id, NULL AS time,
      NULL AS source, NULL AS line, NULL AS accepted, NULL AS records FROM main.findings;
    CREATE TEMP VIEW devices AS SELECT *, NULL AS name FROM main.devices;
    CREATE TEMP VIEW IF NOT EXISTS keys AS SELECT *, NULL AS first_valid_time,
      NULL AS waiting_from FROM main.keys;
    CREATE TEMP VIEW inputs AS SELECT *, NULL AS damaged FROM main.inputs;
    CREATE TEMP TABLE lines (source INTEGER, part INTEGER, digests BLOB, checksum INTEGER);
    CREATE TEMP TABLE replaced (source INTEGER, lines BLOB, checksum INTEGER);
    CREATE TEMP VIEW segments AS SELECT *, NULL AS latest FROM main.segments;
    CREATE TEMP TABLE waiting (path TEXT, since INTEGER, checksum INTEGER);
    """

  /// A column and tables for: the first source whose events may wait for a key; the keys that lists
  /// brought; the order of all sources, if it is not that of their numbers.
  private static let version4 = """
    ALTER TABLE keys ADD COLUMN waiting_from INTEGER;
    CREATE TABLE brought_keys (key_id BLOB PRIMARY KEY, checksum INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX sources_by_name ON sources (name, source);
    CREATE TABLE source_order (part INTEGER PRIMARY KEY, sources BLOB NOT NULL,
      checksum INTEGER NOT NULL);
    """
  private static let viewsOfVersion3 = """
    CREATE TEMP VIEW IF NOT EXISTS keys AS SELECT *, NULL AS waiting_from FROM main.keys;
    CREATE TEMP TABLE brought_keys (key_id BLOB, checksum INTEGER);
    CREATE TEMP TABLE source_order (part INTEGER, sources BLOB, checksum INTEGER);
    """

  /// Tables of the facts that imported lists hold about keys, and of the devices that they give
  /// them.
  private static let version5 = """
    CREATE TABLE imported_keys (key_id BLOB PRIMARY KEY, public_key BLOB NOT NULL,
      app_id TEXT NOT NULL, environment INTEGER, attested_at INTEGER, last_counter INTEGER,
      counter_time INTEGER, subject TEXT, logged INTEGER NOT NULL, source INTEGER NOT NULL,
      line INTEGER NOT NULL, checksum INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE imported_devices (device BLOB NOT NULL, key_id BLOB NOT NULL, name TEXT NOT NULL,
      checksum INTEGER NOT NULL, PRIMARY KEY (device, key_id)) WITHOUT ROWID;
    CREATE INDEX imported_devices_by_key ON imported_devices (key_id);
    """
  private static let viewsOfVersion4 = """
    CREATE TEMP TABLE imported_keys (key_id BLOB, public_key BLOB, app_id TEXT,
      environment INTEGER, attested_at INTEGER, last_counter INTEGER, counter_time INTEGER,
      subject TEXT, logged INTEGER, source INTEGER, line INTEGER, checksum INTEGER);
    CREATE TEMP TABLE imported_devices (device BLOB, key_id BLOB, name TEXT, checksum INTEGER);
    """

  /// Returns the version of the database's tables, or 0 if it has none yet.
  ///
  /// - Throws: `.damaged` if the version cannot be read.
  static func version(_ database: Database) throws(StateError) -> Int {
    let hasTables = try SQLStatement(
      database, "SELECT 1 FROM sqlite_master WHERE name = 'meta'"
    ).first([]) { _ in true }
    guard hasTables == true else { return 0 }
    // Read without its checksum: another version's may be another.
    let text = "SELECT value FROM meta WHERE name = '\(MetaTable.Name.format.rawValue)'"
    guard let version = try SQLStatement(database, text).first([], { $0.integer(0) }),
      version > 0, version < 1 << 31
    else { throw .damaged(StateFormat.database, "it does not say which format it has") }
    return Int(version)
  }

  /// Takes the tables from their version to the last of `steps`, each step in a transaction of its own;
  /// nothing is done where they have it.
  static func migrate(_ database: StateDatabase, steps: [Step]) throws(StateError) {
    let version = try database.access(version)
    guard steps.contains(where: { $0.version > version }) else { return }
    try adopt(database, steps.filter { $0.version <= version })
    var migrator = DatabaseMigrator().disablingDeferredForeignKeyChecks()
    for step in steps {
      migrator.registerMigration(step.name) { database in
        try run(step.statements, database)
        try MetaTable.set(database, .format, Int64(step.version))
      }
    }
    try database.migrate(migrator)
  }

  /// Tells `DatabaseMigrator` of steps that were taken before it kept a list of them.
  private static func adopt(_ database: StateDatabase, _ taken: [Step]) throws(StateError) {
    guard !taken.isEmpty else { return }
    try database.write { database throws(StateError) in
      try SQLStatement(
        database,
        "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)"
      ).run()
      for step in taken {
        try SQLStatement(database, "INSERT OR IGNORE INTO grdb_migrations VALUES (?)")
          .run([.text(step.name)])
      }
    }
  }

  /// Shows tables of `version` as those of the last of `steps` to a process that only reads, until
  /// the open transaction ends, or the connection.
  ///
  /// - Returns: True if they can be shown so.
  static func show(
    _ database: StateDatabase, version: Int, steps: [Step] = steps
  ) throws(StateError) -> Bool {
    for step in steps where step.version > version {
      guard let views = step.views else { return false }
      try database.access { database throws(StateError) in try run(views, database) }
    }
    return true
  }

  private static func run(_ statements: String, _ database: Database) throws(StateError) {
    for statement in statements.split(separator: ";") {
      guard statement.contains(where: { !$0.isWhitespace }) else { continue }
      try SQLStatement(database, String(statement)).run()
    }
  }
}
