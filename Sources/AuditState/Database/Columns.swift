internal import AppAttest
internal import AuditEngine

enum SQLValue: Equatable, Sendable {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])

  static func digest(_ digest: Digest256) -> SQLValue { .blob(digest.bytes) }
  /// Returns a number. One of 64 bits without a sign is the signed one with the same bits.
  static func number(_ number: some FixedWidthInteger) -> SQLValue {
    .integer(Int64(truncatingIfNeeded: number))
  }

  /// Returns the number that ``number(_:)`` made a value of, or nil if there is none.
  func number<Number: FixedWidthInteger>() -> Number? {
    guard case .integer(let stored) = self else { return nil }
    let number = Number(truncatingIfNeeded: stored)
    return Int64(truncatingIfNeeded: number) == stored ? number : nil
  }

  var text: String? {
    if case .text(let text) = self { text } else { nil }
  }
  fileprivate var blob: [UInt8]? {
    if case .blob(let bytes) = self { bytes } else { nil }
  }
}

/// A coder between a row and its columns, checked: one for each field, and two for a position.
struct Columns: RowCoder {
  let isReading: Bool
  private let table: String
  private var values: [SQLValue]
  private var at = 0

  private init(_ table: String, _ values: [SQLValue]? = nil) {
    self.table = table
    isReading = values != nil
    self.values = values ?? []
    if values == nil { self.values.reserveCapacity(64) }
  }

  static func values(of row: some CodedRow) -> [SQLValue] {
    var (row, columns) = (row, Columns(""))
    withoutFailure { () throws(AuditError) in try row.fields(&columns) }
    return columns.values
  }

  static func row<Row: CodedRow>(_ table: String, _ values: [SQLValue]) throws(StateError) -> Row {
    var (row, columns) = (Row(), Columns(table, values))
    try row.fields(&columns)
    return row
  }

  /// Takes the next column of a row that is read.
  private mutating func next() -> SQLValue {
    defer { at += 1 }
    return at < values.count ? values[at] : .null
  }

  private func found<Value>(_ value: Value?) throws(StateError) -> Value {
    guard let value else {
      throw .damaged(
        StateFormat.database, "a row of the table \(table) contains an impossible value")
    }
    return value
  }

  func require(_ isPossible: Bool) throws(StateError) {
    if isReading { _ = try found(isPossible ? true : nil) }
  }

  mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(
    _ number: inout Number
  ) throws(StateError) {
    guard isReading else { return values.append(.number(number)) }
    number = try found(next().number())
  }

  /// A field that is not there is null.
  mutating func presence(_ isThere: inout Bool) {
    if isReading { isThere = at < values.count && values[at] != .null }
    if isThere { return }
    if isReading { at += 1 } else { values.append(.null) }
  }

  mutating func digest(_ digest: inout Digest256) throws(StateError) {
    guard isReading else { return values.append(.digest(digest)) }
    digest = try found(next().blob.flatMap { Digest256($0) })
  }

  mutating func bytes(_ bytes: inout [UInt8], count: Int) throws(StateError) {
    try counted(&bytes)
    try require(bytes.count == count)
  }

  mutating func counted(_ bytes: inout [UInt8]) throws(StateError) {
    guard isReading else { return values.append(.blob(bytes)) }
    bytes = try found(next().blob)
  }

  mutating func text(_ text: inout String) throws(StateError) {
    guard isReading else { return values.append(.text(text)) }
    text = try found(next().text)
  }

  mutating func optional(_ position: inout Position?) throws(StateError) {
    var (source, line) = (position?.source, position?.lineItem)
    try optional(&source)
    try optional(&line)
    try require((source == nil) == (line == nil))
    position = source.flatMap { source in
      line.map { Position(source: source, lineItem: $0) }
    }
  }

  mutating func value<Value: RawRepresentable>(
    _ value: inout Value?
  ) throws(StateError) where Value.RawValue == UInt8 {
    try optional(&value)
  }

  /// Codes the columns of a part after one that says whether it is there.
  mutating func optional<Part: CodedRow>(_ part: inout Part?) throws(StateError) {
    var (isThere, some) = (part != nil, part ?? Part())
    try flag(&isThere)
    try some.fields(&self)
    part = isThere ? some : nil
  }
}
