internal import AppAttest
internal import AuditEngine
internal import AuditLog
internal import Basics

/// A value of a column. Every format writes it, each in its own way.
enum ColumnValue: Sendable, Equatable {
  case none
  /// A word of this program, or several.
  case word(String)
  case words([String])
  /// A text that may come from a log.
  case text(String)
  /// The path of an input, or `-` for standard input.
  case path(String)
  case number(UInt64)
  /// Milliseconds since 1970, UTC.
  case time(Int64)
  case digest(Digest256)
  case bytes([UInt8])
  case base64(Digest256)
  case fingerprint(UInt64)
}

/// The kind of a column's values, for schemas and for programs that load tables.
enum ColumnKind: String, Sendable {
  case text, number, time
  /// Several words: one text separated by `;`, in a document an array.
  case words
}

/// A value with a word in reports. The word is empty if the value is not known.
protocol NamedValue: Sendable {
  var name: String { get }
  init?(name: String)
}

extension NamedValue where Self: CaseIterable {
  init?(name: String) {
    guard let value = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = value
  }
}

extension NamedValue where Self: RawRepresentable<String> {
  var name: String { rawValue }
}

extension Severity: NamedValue {}
extension FindingCode: NamedValue {}
extension RecordKind: NamedValue {}
extension Decision: NamedValue {}
extension Verdict: NamedValue {}
extension KeyStatus: NamedValue {}
extension KeyPlatform: NamedValue {}
extension AttestEnvironment: NamedValue {}
extension SimulatedRequest.Change: NamedValue {}

/// A column of a table: its name, its meaning, how its value is written and read back.
struct Column<Row>: Sendable {
  typealias Place<Value> = any WritableKeyPath<Row, Value> & Sendable

  let name: String
  /// The meaning in a few words, as the documentation has it.
  let meaning: String
  let kind: ColumnKind
  /// Whether a row without a value is not a row of the table.
  var isRequired = false
  /// The place of a text that may come from a log, or of the path of an input.
  var text: Place<String>?
  var path: Place<String>?
  let value: @Sendable (Row) -> ColumnValue
  /// Reads the text of a field, which is not empty. Returns false if it is not a value of the column.
  let take: @Sendable (String, inout Row) -> Bool

  /// Returns the same column, of which every row has a value.
  var required: Column {
    var column = self
    column.isRequired = true
    return column
  }

  static func of<Value>(
    _ kind: ColumnKind, _ name: String, _ meaning: String, _ place: Place<Value>,
    _ show: @escaping @Sendable (Value) -> ColumnValue,
    _ make: @escaping @Sendable (String) -> Value?
  ) -> Column {
    Column(name: name, meaning: meaning, kind: kind) { row in
      show(row[keyPath: place])
    } take: { text, row in
      guard let value = make(text) else { return false }
      row[keyPath: place] = value
      return true
    }
  }

  static func of<Value>(
    _ kind: ColumnKind, _ name: String, _ meaning: String, optional place: Place<Value?>,
    _ show: @escaping @Sendable (Value) -> ColumnValue,
    _ make: @escaping @Sendable (String) -> Value?
  ) -> Column {
    .of(kind, name, meaning, place, { $0.map(show) ?? .none }, { make($0).map { .some($0) } })
  }
}

extension Column {
  static func word<Value: NamedValue>(
    _ name: String, _ meaning: String, _ place: Place<Value>
  ) -> Column {
    .of(
      .text, name, meaning, place,
      { $0.name.isEmpty ? .none : .word($0.name) }, { Value(name: $0) })
  }

  static func word<Value: NamedValue>(
    _ name: String, _ meaning: String, _ place: Place<Value?>
  ) -> Column {
    .of(
      .text, name, meaning, optional: place,
      { .word($0.name) }, { Value(name: $0) })
  }

  /// A column of validation categories: names, or numbers that Apple has not named.
  static func category(
    _ name: String, _ meaning: String, _ place: Place<ValidationCategory?>
  ) -> Column {
    .of(
      .text, name, meaning, optional: place,
      { .word($0.name) },
      { text in
        ValidationCategory(name: text) ?? UInt32(text).map(ValidationCategory.init(rawValue:))
      })
  }

  /// A column of words, separated by `;`. `empty` is the value where there are none.
  static func words(
    _ name: String, _ meaning: String, _ place: Place<[String]>, empty: ColumnValue = .none
  ) -> Column {
    .of(
      .words, name, meaning, place,
      { $0.isEmpty ? empty : .words($0) }, { $0.split(separator: ";").map(String.init) })
  }

  static func codes(
    _ name: String, _ meaning: String, _ place: Place<[FindingCode]>, empty: ColumnValue = .none
  ) -> Column {
    .of(
      .words, name, meaning, place,
      { $0.isEmpty ? empty : .words($0.map(\.name)) },
      { $0.split(separator: ";").compactMap { FindingCode(name: String($0)) } })
  }

  static func text(_ name: String, _ meaning: String, _ place: Place<String>) -> Column {
    var column = of(.text, name, meaning, place, { $0.isEmpty ? .none : .text($0) }, { $0 })
    column.text = place
    return column
  }

  static func path(_ name: String, _ meaning: String, _ place: Place<String>) -> Column {
    var column = of(.text, name, meaning, place, { $0.isEmpty ? .none : .path($0) }, { $0 })
    column.path = place
    return column
  }

  static func number<Value: FixedWidthInteger & SendableMetatype>(
    _ name: String, _ meaning: String, _ place: Place<Value>
  ) -> Column {
    .of(.number, name, meaning, place, { .number(UInt64(truncatingIfNeeded: $0)) }, { Value($0) })
  }

  static func number<Value: FixedWidthInteger & SendableMetatype>(
    _ name: String, _ meaning: String, _ place: Place<Value?>
  ) -> Column {
    .of(
      .number, name, meaning, optional: place,
      { .number(UInt64(truncatingIfNeeded: $0)) }, { Value($0) })
  }

  static func time(_ name: String, _ meaning: String, _ place: Place<Int64>) -> Column {
    .of(.time, name, meaning, place, { .time($0) }, { CivilTime.milliseconds($0) })
  }

  static func time(_ name: String, _ meaning: String, _ place: Place<Int64?>) -> Column {
    .of(.time, name, meaning, optional: place, { .time($0) }, { CivilTime.milliseconds($0) })
  }

  static func hex(_ name: String, _ meaning: String, _ place: Place<Digest256?>) -> Column {
    .of(
      .text, name, meaning, optional: place,
      { .digest($0) }, { Hex.bytes($0.utf8).flatMap { Digest256($0) } })
  }

  static func hex(_ name: String, _ meaning: String, _ place: Place<[UInt8]>) -> Column {
    .of(.text, name, meaning, place, { $0.isEmpty ? .none : .bytes($0) }, { Hex.bytes($0.utf8) })
  }

  /// A column that says in another form what a second one has, from which it is read.
  static func derived(
    _ name: String, _ meaning: String, _ value: @escaping @Sendable (Row) -> ColumnValue
  ) -> Column {
    Column(name: name, meaning: meaning, kind: .text, value: value, take: { _, _ in true })
  }

  static func fingerprint(_ name: String, _ meaning: String, _ place: Place<UInt64>) -> Column {
    .of(.text, name, meaning, place, { .fingerprint($0) }, { Hex.number($0) })
  }
}

package struct Columns<Row>: Sendable {
  let list: [Column<Row>]
  /// The places of texts that may come from a log, and of paths.
  let texts: [Column<Row>.Place<String>]
  let paths: [Column<Row>.Place<String>]
  /// The beginning of each member of a JSON object: comma, name and colon.
  private let members: [String]
  private let places: [String: Int]

  init(_ list: [Column<Row>]) {
    self.list = list
    texts = list.compactMap(\.text)
    paths = list.compactMap(\.path)
    members = list.enumerated().map { ($0 == 0 ? "{\"" : ",\"") + $1.name + "\":" }
    places = Dictionary(
      list.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  var names: [String] { list.map(\.name) }
  /// The first line of CSV, without its end.
  var header: String { names.joined(separator: ",") }

  // MARK: Writing

  /// The first line of CSV, with its end.
  package var headerRow: String { Self.text(writeHeader) }

  package func csv(_ row: Row) -> String { Self.text { write(csv: row, to: &$0) } }

  /// Returns a line of JSON Lines, without empty members.
  package func json(_ row: Row) -> String { Self.text(tree(row).writeLine) }

  private static func text(_ write: (inout RowBuffer) -> Void) -> String {
    var rows = RowBuffer()
    write(&rows)
    return rows.text
  }

  func writeHeader(to rows: inout RowBuffer) {
    rows.append(header)
    rows.endRow()
  }

  func write(csv row: Row, to rows: inout RowBuffer) {
    for index in list.indices {
      if index > 0 { rows.comma() }
      rows.append(csv: list[index].value(row))
    }
    rows.endRow()
  }

  /// Writes a line of JSON Lines with every column, null if its value is not known.
  func write(json row: Row, to rows: inout RowBuffer) {
    for index in list.indices {
      rows.append(members[index])
      rows.append(json: list[index].value(row))
    }
    rows.append(ascii: "}\n")
  }

  func members(of row: Row) -> [(String, JSONTree)] { list.map { ($0.name, $0.value(row).tree) } }

  func tree(_ row: Row) -> JSONTree { .object(members(of: row)) }

  func tree(_ rows: [Row]) -> JSONTree { .array(rows.map(tree)) }

  /// Replaces a row's texts by the form that a table shows.
  func takeTextOfTable(_ row: inout Row) {
    for text in texts { row[keyPath: text] = RowBuffer.guarded(row[keyPath: text]) }
    for path in paths { row[keyPath: path] = RowBuffer.guarded(path: row[keyPath: path]) }
  }

  func textBytes(_ row: Row) -> Int { texts.reduce(0) { $0 + row[keyPath: $1].utf8.count } }

  // MARK: Reading

  /// Reads a JSON object. Returns the name of a column whose value is missing or cannot be read.
  func read(_ line: StoredValue, into row: inout Row) -> String? {
    var missing = list.count(where: \.isRequired)
    var next = 0
    for (name, value) in line.members {
      // Members come in the order of the columns, as a rule.
      if next >= list.count || !name.elementsEqual(list[next].name.utf8) {
        guard let place = places[String(decoding: name, as: UTF8.self)] else { continue }
        next = place
      }
      let column = list[next]
      next += 1
      guard !value.isNull else { continue }
      guard let text = value.text(column.kind), column.take(text, &row) else { return column.name }
      if column.isRequired { missing -= 1 }
    }
    guard missing > 0 else { return nil }
    return list.first { $0.isRequired && line[$0.name] == nil }?.name ?? list.first?.name
  }

  /// Returns the rows of an array of JSON objects, each read into a copy of `empty`. Others are left out.
  func rows(_ array: StoredValue?, _ empty: Row) -> [Row] {
    (array?.elements ?? []).compactMap { element in
      var row = empty
      return read(element, into: &row) == nil ? row : nil
    }
  }

  /// Returns the places of a CSV header's names, or nil if it lacks a column that rows need.
  func places(of header: [String]) -> [Int?]? {
    let found = header.map { places[$0] }
    let isWhole = list.indices.allSatisfy { !list[$0].isRequired || found.contains($0) }
    return isWhole ? found : nil
  }

  /// Reads the fields of a row of CSV as the table shows them. Returns false if one cannot be read.
  func read(_ fields: [String], _ places: [Int?], into row: inout Row) -> Bool {
    guard fields.count == places.count else { return false }
    return zip(fields, places).allSatisfy { field, place in
      guard let place else { return true }
      return field.isEmpty ? !list[place].isRequired : list[place].take(field, &row)
    }
  }
}

extension ColumnValue {
  /// The value as text, unchanged, or an empty text for none.
  var plainText: String {
    switch self {
    case .word(let text), .text(let text), .path(let text): return text
    default:
      var rows = RowBuffer()
      rows.append(plain: self)
      return rows.text
    }
  }

  var tree: JSONTree {
    switch self {
    case .none: .null
    case .words(let words): .array(words.map { .string($0) })
    case .number(let number): .number(number)
    default: .string(plainText)
    }
  }
}

extension RowBuffer {
  mutating func append(csv value: ColumnValue) {
    switch value {
    case .text(let text): append(csv: text, guarded: true)
    case .path(let path): append(csvPath: path)
    default: append(plain: value)
    }
  }

  mutating func append(json value: ColumnValue) {
    switch value {
    case .none: append(ascii: "null")
    case .word(let text), .text(let text), .path(let text): append(json: text)
    case .number(let number): append(decimal: number)
    default:
      append(UInt8(ascii: "\""))
      append(plain: value)
      append(UInt8(ascii: "\""))
    }
  }

  /// Appends a value that no format quotes or changes.
  fileprivate mutating func append(plain value: ColumnValue) {
    switch value {
    case .none: break
    case .word(let text), .text(let text), .path(let text): append(text)
    case .words(let words): append(words.joined(separator: ";"))
    case .number(let number): append(decimal: number)
    case .time(let time): append(time: time)
    case .digest(let digest): append(hex: digest)
    case .bytes(let bytes): append(hex: bytes.span)
    case .base64(let digest): append(base64: digest)
    case .fingerprint(let value): append(fingerprint: value)
    }
  }
}
