internal import AppAttest
internal import AuditEngine
internal import Files

/// A table whose rows carry a checksum in the last column: the first 8 bytes of SHA-256 over the
/// table's name and the other columns.
struct CheckedTable: Sendable {
  let name: String
  /// The columns of the primary key come first: so many.
  let keyCount: Int
  private let selectText: String
  private let checksumText: String
  private let insertText: String
  private let check: @Sendable ([SQLValue]) throws(StateError) -> Void

  init<Row: CodedRow & SendableMetatype>(_ name: String, key: String..., of type: Row.Type) {
    self.name = name
    keyCount = key.count
    let count = Columns.values(of: Row()).count + 1
    selectText = "SELECT * FROM \(name) "
    checksumText =
      "SELECT checksum FROM \(name) WHERE "
      + key.map { "\($0) = ?" }.joined(separator: " AND ")
    insertText =
      "INTO \(name) VALUES (\(repeatElement("?", count: count).joined(separator: ", ")))"
    check = { (values) throws(StateError) in _ = try Columns.row(name, values) as Row }
  }

  /// Returns the first row that `condition` (from `WHERE` on) gives, or nil if there is no row.
  func row<Row: CodedRow>(
    _ database: StateDatabase, _ condition: String, _ values: SQLValue...,
    as type: Row.Type = Row.self
  ) throws(StateError) -> Row? {
    try database.first(selectText + condition, values).map { (row) throws(StateError) in
      try Columns.row(name, checked(row))
    }
  }

  /// Returns the rows that `condition` (`WHERE`, `ORDER BY`) gives.
  func rows<Row: CodedRow>(
    _ database: StateDatabase, _ condition: String = "", _ values: SQLValue...,
    as type: Row.Type = Row.self
  ) throws(StateError) -> [Row] {
    var rows: [Row] = []
    try each(database, condition, values) { (row: Row) in rows.append(row) }
    return rows
  }

  func each<Row: CodedRow>(
    _ database: StateDatabase, _ condition: String = "", _ values: [SQLValue] = [],
    _ body: (Row) throws(StateError) -> Void
  ) throws(StateError) {
    try eachValues(database, condition, values) { (row) throws(StateError) in
      try body(try Columns.row(name, row))
    }
  }

  func eachValues(
    _ database: StateDatabase, _ condition: String = "", _ values: [SQLValue] = [],
    _ body: ([SQLValue]) throws(StateError) -> Void
  ) throws(StateError) {
    try database.rows(selectText + condition, values) { (row) throws(StateError) in
      try body(try checked(row))
      return true
    }
  }

  func verify(_ database: StateDatabase) throws(StateError) -> UInt64 {
    var count: UInt64 = 0
    try eachValues(database) { (row) throws(StateError) in
      try check(row)
      count += 1
    }
    return count
  }

  func insert(_ database: StateDatabase, _ row: some CodedRow) throws(StateError) {
    let values = Columns.values(of: row)
    try write(database, "INSERT ", values, checksum(values[...]))
  }

  /// Adds a row, or replaces the one with its key, without a look at what is there.
  func replace(_ database: StateDatabase, _ row: some CodedRow) throws(StateError) {
    let values = Columns.values(of: row)
    try write(database, "REPLACE ", values, checksum(values[...]))
  }

  /// Adds a row, or replaces the one with its key if it differs. Returns whether the key is new.
  @discardableResult
  func put(_ database: StateDatabase, _ row: some CodedRow) throws(StateError) -> Bool {
    try put(database, values: Columns.values(of: row))
  }

  @discardableResult
  func put(_ database: StateDatabase, values: [SQLValue]) throws(StateError) -> Bool {
    let checksum = checksum(values[...])
    let stored: Int64? = try database.first(checksumText, Array(values.prefix(keyCount)))?.first?
      .number()
    guard stored != checksum else { return false }
    try write(database, stored == nil ? "INSERT " : "REPLACE ", values, checksum)
    return stored == nil
  }

  private func write(
    _ database: StateDatabase, _ verb: String, _ values: [SQLValue], _ checksum: Int64
  ) throws(StateError) {
    FaultPoint.step()
    _ = try database.first(verb + insertText, values + [.integer(checksum)])
  }

  private func checked(_ row: [SQLValue]) throws(StateError) -> [SQLValue] {
    guard row.last == .integer(checksum(row.dropLast())) else {
      throw .damaged(
        StateFormat.database, "a row of the table \(name) is not what was written")
    }
    return row.dropLast()
  }

  private func checksum(_ values: ArraySlice<SQLValue>) -> Int64 {
    var bytes = Array(name.utf8)
    bytes.reserveCapacity(512)
    func append(_ tag: UInt8, _ number: UInt64) {
      bytes.append(tag)
      for shift in stride(from: UInt64(0), to: 64, by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: number >> shift))
      }
    }
    for value in values {
      switch value {
      case .null: bytes.append(0)
      case .integer(let number): append(1, UInt64(bitPattern: number))
      case .text(let text):
        append(2, UInt64(text.utf8.count))
        bytes += text.utf8
      case .blob(let blob):
        append(3, UInt64(blob.count))
        bytes += blob
      }
    }
    return Int64(bitPattern: Digest256.sha256(bytes.span).prefix)
  }
}

/// A row that is the digest of something: a key, or a build.
struct RowDigest: CodedRow {
  var digest = Digest256()

  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.digest(&digest)
  }
}
