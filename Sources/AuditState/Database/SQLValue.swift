internal import AppAttest

/// A value of a column of the database.
enum SQLValue: Equatable {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])

  static func digest(_ digest: Digest256) -> SQLValue { .blob(digest.bytes) }
  /// Returns a number of 64 bits, as the signed one with the same bits.
  static func bits(_ number: UInt64) -> SQLValue { .integer(Int64(bitPattern: number)) }
  static func optional(_ number: Int64?) -> SQLValue { number.map(SQLValue.integer) ?? .null }
}

/// A row of a ``CheckedTable`` whose checksum held: its columns in their order.
///
/// Values are checked although the state wrote them: another program might have written the row.
struct CheckedRow {
  /// The table, for messages.
  let table: String
  let values: [SQLValue]

  init(table: String, values: [SQLValue]) {
    self.table = table
    self.values = values
  }

  /// The error of a row that holds what it cannot.
  var nonsense: StateError {
    .damaged(StateFormat.database, "a row of the table \(table) contains an impossible value")
  }

  private subscript(_ column: Int) -> SQLValue {
    column < values.count ? values[column] : .null
  }

  func isNull(_ column: Int) -> Bool { self[column] == .null }

  func integer(_ column: Int) throws(StateError) -> Int64 {
    guard case .integer(let number) = self[column] else { throw nonsense }
    return number
  }

  /// Returns a number that has to fit its type.
  func number<Number: FixedWidthInteger>(
    _ column: Int, as type: Number.Type = Number.self
  ) throws(StateError) -> Number {
    guard let number = Number(exactly: try integer(column)) else { throw nonsense }
    return number
  }

  /// Returns a number of 64 bits without a sign.
  func bits(_ column: Int) throws(StateError) -> UInt64 {
    UInt64(bitPattern: try integer(column))
  }

  func optionalInteger(_ column: Int) throws(StateError) -> Int64? {
    isNull(column) ? nil : try integer(column)
  }

  func text(_ column: Int) throws(StateError) -> String {
    guard case .text(let text) = self[column] else { throw nonsense }
    return text
  }

  /// Returns bytes, `count` of them if that is given.
  func blob(_ column: Int, count: Int? = nil) throws(StateError) -> [UInt8] {
    guard case .blob(let bytes) = self[column], count == nil || bytes.count == count else {
      throw nonsense
    }
    return bytes
  }

  func digest(_ column: Int) throws(StateError) -> Digest256 {
    guard let digest = Digest256(try blob(column)) else { throw nonsense }
    return digest
  }
}
