internal import AuditEngine
internal import Files
internal import GRDB
internal import GRDBSQLite

/// A prepared statement of the database's own language, kept prepared by its connection; used on
/// the connection's queue only.
///
/// Columns are read without any conversion that could fail aloud: a damaged file may hold anything.
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
    _ = try first(values) { _ in }
  }

  /// Returns the first row, as `body` makes it, or nil if there is no row.
  func first<Value>(
    _ values: [SQLValue], _ body: (SQLRow) throws(StateError) -> Value
  ) throws(StateError) -> Value? {
    try bind(values)
    defer { unsafe sqlite3_reset(handle) }
    return try step() ? try body(row) : nil
  }

  /// Calls `body` for each row.
  func each(
    _ values: [SQLValue] = [], _ body: (SQLRow) throws(StateError) -> Void
  ) throws(StateError) {
    try bind(values)
    defer { unsafe sqlite3_reset(handle) }
    while try step() { try body(row) }
  }

  private var row: SQLRow { unsafe SQLRow(handle) }

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

/// The row at which a statement stands; valid until it goes on.
@safe struct SQLRow {
  private let handle: OpaquePointer

  init(_ handle: OpaquePointer) {
    unsafe self.handle = handle
  }

  /// The number of columns.
  var count: Int { Int(unsafe sqlite3_column_count(handle)) }

  /// Returns what a column holds; floating-point numbers, which no table has, are as good as
  /// nothing.
  func value(_ column: Int) -> SQLValue {
    switch unsafe sqlite3_column_type(handle, CInt(column)) {
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_TEXT: unsafe .text(String(decoding: bytes(column), as: UTF8.self))
    case SQLITE_BLOB: unsafe .blob(Array(bytes(column)))
    default: .null
    }
  }

  /// Returns a number, or 0 if the column holds no number.
  func integer(_ column: Int) -> Int64 {
    unsafe sqlite3_column_int64(handle, CInt(column))
  }

  /// Returns the bytes of a text or blob, valid until the statement goes on.
  private func bytes(_ column: Int) -> UnsafeRawBufferPointer {
    let start = unsafe sqlite3_column_blob(handle, CInt(column))
    let count = unsafe sqlite3_column_bytes(handle, CInt(column))
    return unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))
  }
}
