internal import AuditEngine
internal import Files
internal import GRDB
internal import GRDBSQLite

/// A prepared statement of the database's own language, kept prepared by its connection; used on
/// the connection's queue only.
///
/// GRDB reads and binds a text only up to its first NUL, and texts of a log can contain one.
@safe struct SQLStatement {
  /// sqlite3_bind_*'s way to say that the bytes are to be copied.
  private static var copied: sqlite3_destructor_type {
    unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }

  private let statement: Statement
  private let connection: OpaquePointer?

  init(_ database: Database, _ text: String) throws(StateError) {
    unsafe connection = database.sqliteConnection
    do { statement = try database.cachedStatement(sql: text) } catch {
      throw StateDatabase.error(error)
    }
  }

  private var handle: OpaquePointer { unsafe statement.sqliteStatement }

  /// Runs a statement that gives no rows.
  func run(_ values: [SQLValue] = []) throws(StateError) {
    FaultPoint.step()
    _ = try first(values)
  }

  /// Returns the first row, or nil if there is no row.
  func first(_ values: [SQLValue] = []) throws(StateError) -> [SQLValue]? {
    try bind(values)
    defer { unsafe sqlite3_reset(handle) }
    return try step() ? row : nil
  }

  /// Returns the number in the first column of the first row, or nil if there is none.
  func number(_ values: [SQLValue] = []) throws(StateError) -> Int64? {
    try first(values)?.first?.number()
  }

  /// Calls `body` for each row.
  func each(
    _ values: [SQLValue] = [], _ body: ([SQLValue]) throws(StateError) -> Void
  ) throws(StateError) {
    try bind(values)
    defer { unsafe sqlite3_reset(handle) }
    while try step() { try body(row) }
  }

  /// The row at hand. Floating-point numbers, which no table has, are as good as nothing.
  private var row: [SQLValue] {
    (0..<(unsafe sqlite3_column_count(handle))).map { column in
      switch unsafe sqlite3_column_type(handle, column) {
      case SQLITE_INTEGER: unsafe .integer(sqlite3_column_int64(handle, column))
      case SQLITE_TEXT: unsafe .text(String(decoding: bytes(column), as: UTF8.self))
      case SQLITE_BLOB: unsafe .blob(Array(bytes(column)))
      default: .null
      }
    }
  }

  /// Returns the bytes of a text or blob, valid until the statement goes on.
  private func bytes(_ column: CInt) -> UnsafeRawBufferPointer {
    let start = unsafe sqlite3_column_blob(handle, column)
    let count = unsafe sqlite3_column_bytes(handle, column)
    return unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))
  }

  private func step() throws(StateError) -> Bool {
    switch unsafe sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw unsafe StateDatabase.error(connection)
    }
  }

  private func bind(_ values: [SQLValue]) throws(StateError) {
    unsafe sqlite3_reset(handle)
    for (index, value) in values.enumerated() {
      let place = CInt(index + 1)
      let code: CInt
      switch value {
      case .null: code = unsafe sqlite3_bind_null(handle, place)
      case .integer(let number): code = unsafe sqlite3_bind_int64(handle, place, number)
      case .text(let text):
        code = unsafe text.withCString { characters in
          unsafe sqlite3_bind_text(
            handle, place, characters, CInt(clamping: text.utf8.count), Self.copied)
        }
      case .blob(let bytes):
        code = unsafe bytes.withUnsafeBytes { bytes in
          unsafe bytes.count == 0
            ? sqlite3_bind_zeroblob(handle, place, 0)
            : sqlite3_bind_blob(
              handle, place, bytes.baseAddress, CInt(clamping: bytes.count), Self.copied)
        }
      }
      guard code == SQLITE_OK else { throw unsafe StateDatabase.error(connection) }
    }
  }
}
