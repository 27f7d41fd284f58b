internal import AuditEngine
internal import Files
internal import GRDB
internal import GRDBSQLite
internal import Glibc

/// The database of a state: one connection, used on its own queue.
final class StateDatabase: Sendable {
  private static let cacheKibibytes = 8192
  /// Seconds to wait for another connection's brief locks; runs never compete for longer ones.
  private static let patience = 10.0

  private let queue: DatabaseQueue

  /// Opens the database at `path`. If it `isUnfinished`, nobody uses it before it is written, flushed and renamed:
  /// nothing of it has to last before.
  init(path: String, readOnly: Bool, isUnfinished: Bool = false) throws(StateError) {
    // Opening a FIFO would wait for its other end.
    if let kind = FileStatus(path: path)?.kind, kind != .file {
      throw .damaged(PathText.split(path).last, "it is \(kind.name)")
    }
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
      guard !isUnfinished else {
        try database.execute(sql: "PRAGMA journal_mode = OFF")
        return try database.execute(sql: "PRAGMA synchronous = OFF")
      }
      try database.execute(sql: "PRAGMA journal_mode = WAL")
      try database.execute(sql: "PRAGMA synchronous = FULL")
      // The log is merged after a commit, not within it.
      try database.execute(sql: "PRAGMA wal_autocheckpoint = 0")
      Self.keepLog(database)
    }
    do { queue = try DatabaseQueue(path: path, configuration: configuration) } catch {
      throw Self.error(error)
    }
  }

  /// Leaves the log where it is when the database is closed, for those who only may read.
  private static func keepLog(_ database: Database) {
    var isOn: CInt = 1
    unsafe _ = sqlite3_file_control(
      database.sqliteConnection, nil, SQLITE_FCNTL_PERSIST_WAL, &isOn)
  }

  // MARK: Transactions

  /// Starts a transaction that lasts until `commit` or `rollBack`, for changes if it `writes`.
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

  /// Calls `body` in a transaction of its own, which the caller commits if not `commits`.
  func write(commits: Bool = true, _ body: () throws(StateError) -> Void) throws(StateError) {
    try begin(writes: true)
    do throws(StateError) {
      // Nobody else has the connection meanwhile.
      try access { _ throws(StateError) in try body() }
      if commits { try commit() }
    } catch {
      rollBack()
      throw error
    }
  }

  // MARK: Statements

  func run(_ text: String, _ values: SQLValue...) throws(StateError) {
    FaultPoint.step()
    _ = try first(text, values)
  }

  /// Returns the number in the first column of the first row, or nil if there is none.
  func number(_ text: String, _ values: SQLValue...) throws(StateError) -> Int64? {
    try first(text, values)?.first?.number()
  }

  /// Returns the number of rows of a table, which a condition may follow.
  func count(_ rows: String) throws(StateError) -> UInt64 {
    UInt64(clamping: try number("SELECT COUNT(*) FROM \(rows)") ?? 0)
  }

  func first(_ text: String, _ values: [SQLValue]) throws(StateError) -> [SQLValue]? {
    var found: [SQLValue]?
    try rows(text, values) { row in
      found = row
      return false
    }
    return found
  }

  /// Calls `body` for each row, until it returns false; statements may be run within it.
  func rows(
    _ text: String, _ values: [SQLValue] = [], _ body: ([SQLValue]) throws(StateError) -> Bool
  ) throws(StateError) {
    try access { database throws(StateError) in
      let prepared: Statement
      do { prepared = try database.cachedStatement(sql: text) } catch { throw Self.error(error) }
      let statement = unsafe prepared.sqliteStatement
      unsafe sqlite3_reset(statement)
      for (index, value) in values.enumerated() {
        guard unsafe value.bind(CInt(index + 1), of: statement) == SQLITE_OK else {
          throw unsafe Self.error(database.sqliteConnection)
        }
      }
      defer { unsafe sqlite3_reset(statement) }
      while true {
        switch unsafe sqlite3_step(statement) {
        case SQLITE_ROW: break
        case SQLITE_DONE: return
        default: throw unsafe Self.error(database.sqliteConnection)
        }
        let columns = 0..<(unsafe sqlite3_column_count(statement))
        guard try body(columns.map { unsafe SQLValue(column: $0, of: statement) }) else { return }
      }
    }
  }

  private func access(
    _ body: (Database) throws(StateError) -> Void
  ) throws(StateError) {
    let result: Result<Void, StateError> = queue.unsafeReentrantRead { database in
      do throws(StateError) { return .success(try body(database)) } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  /// Merges the log into the database, as far as nobody still reads what was before.
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

  /// Replaces everything in another database by what is in this one, without open transactions.
  func copy(to other: StateDatabase) throws(StateError) {
    FaultPoint.step()
    do { try queue.backup(to: other.queue) } catch { throw Self.error(error) }
  }

  /// Closes the connection, which is not used any more; a connection that nobody has is closed.
  func close() {
    rollBack()
    try? queue.close()
  }

  // MARK: Errors

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
      StateError("cannot write", StateFormat.database, number ?? fallback)
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

/// GRDB reads and binds a text only up to its first NUL, and texts of a log can contain one.
extension SQLValue {
  /// sqlite3_bind_*'s way to say that the bytes are to be copied.
  private static var copied: sqlite3_destructor_type {
    unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }

  fileprivate func bind(_ place: CInt, of statement: OpaquePointer?) -> CInt {
    switch self {
    case .null: unsafe sqlite3_bind_null(statement, place)
    case .integer(let number): unsafe sqlite3_bind_int64(statement, place, number)
    case .text(let text):
      unsafe text.withCString { characters in
        unsafe sqlite3_bind_text(
          statement, place, characters, CInt(clamping: text.utf8.count), Self.copied)
      }
    case .blob(let bytes):
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe bytes.count == 0
          ? sqlite3_bind_zeroblob(statement, place, 0)
          : sqlite3_bind_blob(
            statement, place, bytes.baseAddress, CInt(clamping: bytes.count), Self.copied)
      }
    }
  }

  /// Reads a column. Floating-point numbers, which no table has, are as good as nothing.
  fileprivate init(column: CInt, of statement: OpaquePointer?) {
    func bytes() -> UnsafeRawBufferPointer {
      let start = unsafe sqlite3_column_blob(statement, column)
      let count = unsafe sqlite3_column_bytes(statement, column)
      return unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))
    }
    switch unsafe sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: self = unsafe .integer(sqlite3_column_int64(statement, column))
    case SQLITE_TEXT: self = unsafe .text(String(decoding: bytes(), as: UTF8.self))
    case SQLITE_BLOB: self = unsafe .blob(Array(bytes()))
    default: self = .null
    }
  }
}
