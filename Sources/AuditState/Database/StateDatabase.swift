internal import AuditEngine
internal import Files
internal import GRDB
internal import GRDBSQLite
internal import Glibc

/// The database of a state: one connection, used on its own queue.
final class StateDatabase: Sendable {
  /// Kibibytes of pages kept in memory.
  private static let cacheKibibytes = 8192
  /// Seconds to wait for another connection's brief locks; runs never compete for longer ones.
  private static let patience = 10.0

  private let queue: DatabaseQueue

  /// Opens the database at `path`, which is there. If `keepsLog`, the log stays beside the database
  /// when nobody has it open, so that those may read who cannot write in the directory.
  init(path: String, readOnly: Bool, keepsLog: Bool = true) throws(StateError) {
    var configuration = Configuration()
    configuration.readonly = readOnly
    configuration.busyMode = .timeout(Self.patience)
    // A run reads in one transaction and writes in another, each over many calls.
    configuration.allowsUnsafeTransactions = true
    configuration.foreignKeysEnabled = false
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA cache_size = -\(Self.cacheKibibytes)")
      try database.execute(sql: "PRAGMA temp_store = MEMORY")
      guard !readOnly else { return }
      try database.execute(sql: "PRAGMA journal_mode = WAL")
      try database.execute(sql: "PRAGMA synchronous = FULL")
      // The log is merged after a commit, not within it.
      try database.execute(sql: "PRAGMA wal_autocheckpoint = 0")
      if keepsLog { Self.keepLog(database) }
    }
    do { queue = try DatabaseQueue(path: path, configuration: configuration) } catch {
      throw Self.error(error)
    }
  }

  private static func keepLog(_ database: Database) {
    var isOn: CInt = 1
    unsafe _ = sqlite3_file_control(
      database.sqliteConnection, nil, SQLITE_FCNTL_PERSIST_WAL, &isOn)
  }

  /// Calls `body` with the connection; never from within itself.
  func access<Value>(
    _ body: (Database) throws(StateError) -> Value
  ) throws(StateError) -> Value {
    let result: Result<Value, StateError> = queue.unsafeRead { database in
      do throws(StateError) { return .success(try body(database)) } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }

  /// Starts a transaction that lasts until `commit` or `rollBack`. `writes` is true for one that
  /// changes things.
  func begin(writes: Bool) throws(StateError) {
    try run(writes ? "BEGIN IMMEDIATE" : "BEGIN")
  }

  /// Ends the transaction; all of it lasts from here on.
  func commit() throws(StateError) {
    try run("COMMIT")
  }

  /// Ends the transaction, if one is open; nothing of it lasts.
  func rollBack() {
    // Where it fails, none is open.
    try? run("ROLLBACK")
  }

  private func run(_ text: String) throws(StateError) {
    try access { database throws(StateError) in try SQLStatement(database, text).run() }
  }

  /// Calls `body` in a transaction of its own.
  func write(_ body: (Database) throws(StateError) -> Void) throws(StateError) {
    try begin(writes: true)
    do throws(StateError) {
      try access(body)
      try commit()
    } catch {
      rollBack()
      throw error
    }
  }

  /// Takes the steps of a migrator that were not taken yet.
  func migrate(_ migrator: DatabaseMigrator) throws(StateError) {
    do { try migrator.migrate(queue) } catch {
      throw error as? StateError ?? Self.error(error)
    }
  }

  /// Merges the log into the database, as far as nobody still reads what was before. A failure
  /// changes nothing that counts: the log stays.
  func mergeLog() {
    FaultPoint.step()
    // Whoever reads may do so for hours: nobody waits for that.
    try? run("PRAGMA busy_timeout = 0")
    queue.unsafeRead { database in
      _ = try? database.checkpoint(.truncate)
    }
    try? run("PRAGMA busy_timeout = \(Int(Self.patience * 1000))")
  }

  /// Gives the room of removed rows back; no transaction is open.
  func pack() throws(StateError) {
    // As large as the database: not in memory.
    try run("PRAGMA temp_store = FILE")
    try run("VACUUM")
    mergeLog()
  }

  /// Replaces everything in another database by what is in this one: all of it or nothing. No transaction is
  /// open in either.
  func copy(to other: StateDatabase) throws(StateError) {
    FaultPoint.step()
    do { try queue.backup(to: other.queue) } catch { throw Self.error(error) }
  }

  /// Closes the connection; it is not used any more.
  func close() {
    rollBack()
    try? queue.close()
  }

  // MARK: Errors

  /// Returns what a call of GRDB threw.
  static func error(_ error: any Error) -> StateError {
    guard let error = error as? DatabaseError else {
      return .damaged(StateFormat.database, "\(error)")
    }
    return self.error(
      code: error.extendedResultCode.rawValue, errno: nil, message: error.message ?? "")
  }

  /// Returns what the last call on a connection came to.
  static func error(_ connection: OpaquePointer?) -> StateError {
    let errno = unsafe sqlite3_system_errno(connection)
    return error(
      code: unsafe sqlite3_extended_errcode(connection), errno: errno == 0 ? nil : errno,
      message: unsafe String(cString: sqlite3_errmsg(connection)))
  }

  private static func error(code: CInt, errno number: Int32?, message: String) -> StateError {
    func cannotWrite(_ fallback: Int32) -> StateError {
      let number = number ?? fallback
      return .system("cannot write", StateFormat.database, number)
    }
    switch code & 0xFF {
    case SQLITE_FULL: return cannotWrite(ENOSPC)
    case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: return cannotWrite(EACCES)
    case SQLITE_CANTOPEN: return cannotWrite(EACCES)
    case SQLITE_NOMEM: return cannotWrite(ENOMEM)
    case SQLITE_BUSY, SQLITE_LOCKED: return cannotWrite(EBUSY)
    case SQLITE_IOERR:
      switch code >> 8 {
      // Reading that fails, or ends too early: the disk no longer has what was written.
      case 1, 2: return .damaged(StateFormat.database, "it cannot be read: \(message)")
      // The shared memory of the log is a file, and could not become larger.
      case 19: return cannotWrite(ENOSPC)
      default: return cannotWrite(EIO)
      }
    default: return .damaged(StateFormat.database, message)
    }
  }
}
