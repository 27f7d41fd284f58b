internal import AppAttest
internal import GRDB

/// A table whose every row carries a checksum, so that a byte that changed on the disk is seen when
/// the row is read.
///
/// The checksum is the first 8 bytes of SHA-256 over the table's name and the other columns in
/// their order.
struct CheckedTable {
  let name: String
  let columns: [String]
  /// The columns of the primary key stand first: so many.
  let keyCount: Int
  private let selectText: String
  private let checksumText: String
  private let insertText: String
  private let updateText: String

  init(_ name: String, key: [String], _ others: [String]) {
    self.name = name
    columns = key + others
    keyCount = key.count
    let all = (columns + ["checksum"]).joined(separator: ", ")
    let places = repeatElement("?", count: columns.count + 1).joined(separator: ", ")
    let isKey = key.map { "\($0) = ?" }.joined(separator: " AND ")
    let assignments = (others + ["checksum"]).map { "\($0) = excluded.\($0)" }
    selectText = "SELECT \(all) FROM \(name) "
    checksumText = "SELECT checksum FROM \(name) WHERE \(isKey)"
    insertText = "INSERT INTO \(name) (\(all)) VALUES (\(places))"
    updateText =
      insertText + " ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET "
      + assignments.joined(separator: ", ")
  }

  /// Returns the first row that `condition` (from `WHERE` on) gives, or nil if there is no row.
  func row(
    _ database: Database, _ condition: String, _ values: [SQLValue] = []
  ) throws(StateError) -> CheckedRow? {
    try SQLStatement(database, selectText + condition).first(values) { row throws(StateError) in
      try checked(row)
    }
  }

  /// Calls `body` for each row that `condition` (`WHERE`, `ORDER BY`) gives.
  func each(
    _ database: Database, _ condition: String = "", _ values: [SQLValue] = [],
    _ body: (CheckedRow) throws(StateError) -> Void
  ) throws(StateError) {
    try SQLStatement(database, selectText + condition).each(values) { row throws(StateError) in
      try body(try checked(row))
    }
  }

  /// Adds a row.
  func insert(_ database: Database, _ values: [SQLValue]) throws(StateError) {
    try SQLStatement(database, insertText).run(values + [.integer(checksum(values))])
  }

  /// Adds a row, or replaces the one with its key. An equal row stays untouched.
  ///
  /// - Returns: True if the key is new.
  @discardableResult
  func put(_ database: Database, _ values: [SQLValue]) throws(StateError) -> Bool {
    let checksum = checksum(values)
    let stored = try SQLStatement(database, checksumText)
      .first(Array(values.prefix(keyCount))) { $0.integer(0) }
    guard stored != checksum else { return false }
    try SQLStatement(database, updateText).run(values + [.integer(checksum)])
    return stored == nil
  }

  private func checked(_ row: SQLRow) throws(StateError) -> CheckedRow {
    var values: [SQLValue] = []
    values.reserveCapacity(columns.count)
    for column in columns.indices { values.append(row.value(column)) }
    guard row.value(columns.count) == .integer(checksum(values)) else {
      throw .damaged(
        StateFormat.database, "a row of the table \(name) is not what was written")
    }
    return CheckedRow(table: name, values: values)
  }

  private func checksum(_ values: [SQLValue]) -> Int64 {
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
    return Int64(bitPattern: Checksum.first8(bytes.span))
  }
}

/// SHA-256, cut to 8 bytes.
enum Checksum {
  /// Returns the first 8 bytes as a big-endian number.
  static func first8(_ bytes: Span<UInt8>) -> UInt64 {
    Digest256.sha256(bytes).withSpan { digest in
      var number: UInt64 = 0
      for index in 0..<8 { number = number << 8 | UInt64(digest[index]) }
      return number
    }
  }
}
