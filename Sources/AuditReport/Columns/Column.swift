internal import AppAttest
internal import Basics

/// A value of a column. Every format writes it, each in its own way.
enum ColumnValue {
  /// The value is not known.
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

  /// Makes a value of a text of which nothing is known if it is empty.
  static func text(orNone text: String) -> ColumnValue { text.isEmpty ? .none : .text(text) }
  static func path(orNone path: String) -> ColumnValue { path.isEmpty ? .none : .path(path) }
}

/// The kind of a column's values, for schemas and for programs that load tables.
enum ColumnKind: String, Sendable {
  case text, number, time

  /// Whether JSON has a number for the value.
  var isNumber: Bool { self == .number }
}

/// A column of a report's table: its name, its meaning, how a row's value is written, and how it is
/// read back. It is declared here and nowhere else.
struct Column<Row>: Sendable {
  let name: String
  /// The meaning in a few words, as the documentation has it.
  let meaning: String
  let kind: ColumnKind
  /// Whether a row without a value is not a row of the table.
  var isRequired = false
  let value: @Sendable (Row) -> ColumnValue
  /// Reads the text of a field, which is not empty. Returns false if it is not a value of the column.
  let take: @Sendable (String, inout Row) -> Bool

  /// Returns the same column, of which every row has a value.
  var required: Column {
    var column = self
    column.isRequired = true
    return column
  }
}

/// The columns of each kind of value.
extension Column {
  typealias Place<Value> = any WritableKeyPath<Row, Value> & Sendable

  /// A column of words. `word` gives that of a value, or an empty text for none; `make` gives the
  /// value of a word.
  static func word<Value>(
    _ name: String, _ meaning: String, _ place: Place<Value>,
    _ word: @escaping @Sendable (Value) -> String, _ make: @escaping @Sendable (String) -> Value?
  ) -> Column {
    Column(name: name, meaning: meaning, kind: .text) { row in
      let word = word(row[keyPath: place])
      return word.isEmpty ? .none : .word(word)
    } take: { text, row in
      guard let value = make(text) else { return false }
      row[keyPath: place] = value
      return true
    }
  }

  static func text(_ name: String, _ meaning: String, _ place: Place<String>) -> Column {
    Column(name: name, meaning: meaning, kind: .text) { row in
      .text(orNone: row[keyPath: place])
    } take: { text, row in
      row[keyPath: place] = text
      return true
    }
  }

  static func path(_ name: String, _ meaning: String, _ place: Place<String>) -> Column {
    Column(name: name, meaning: meaning, kind: .text) { row in
      .path(orNone: row[keyPath: place])
    } take: { text, row in
      row[keyPath: place] = text
      return true
    }
  }

  static func number<Value: FixedWidthInteger & SendableMetatype>(
    _ name: String, _ meaning: String, _ place: Place<Value>
  ) -> Column {
    Column(name: name, meaning: meaning, kind: .number) { row in
      .number(UInt64(truncatingIfNeeded: row[keyPath: place]))
    } take: { text, row in
      guard let value = Value(text) else { return false }
      row[keyPath: place] = value
      return true
    }
  }

  static func number<Value: FixedWidthInteger & SendableMetatype>(
    _ name: String, _ meaning: String, _ place: Place<Value?>
  ) -> Column {
    Column(name: name, meaning: meaning, kind: .number) { row in
      row[keyPath: place].map { .number(UInt64(truncatingIfNeeded: $0)) } ?? .none
    } take: { text, row in
      guard let value = Value(text) else { return false }
      row[keyPath: place] = value
      return true
    }
  }

  static func time(_ name: String, _ meaning: String, _ place: Place<Int64>) -> Column {
    Column(name: name, meaning: meaning, kind: .time) { row in
      .time(row[keyPath: place])
    } take: { text, row in
      guard let time = CivilTime.milliseconds(text) else { return false }
      row[keyPath: place] = time
      return true
    }
  }

  static func time(_ name: String, _ meaning: String, _ place: Place<Int64?>) -> Column {
    Column(name: name, meaning: meaning, kind: .time) { row in
      row[keyPath: place].map { .time($0) } ?? .none
    } take: { text, row in
      guard let time = CivilTime.milliseconds(text) else { return false }
      row[keyPath: place] = time
      return true
    }
  }

  /// A column of digests in hex.
  static func hex(_ name: String, _ meaning: String, _ place: Place<Digest256?>) -> Column {
    Column(name: name, meaning: meaning, kind: .text) { row in
      row[keyPath: place].map { .digest($0) } ?? .none
    } take: { text, row in
      guard let digest = Hex.bytes(text.utf8).flatMap({ Digest256($0) }) else { return false }
      row[keyPath: place] = digest
      return true
    }
  }

  /// A column of bytes in hex.
  static func hex(_ name: String, _ meaning: String, _ place: Place<[UInt8]>) -> Column {
    Column(name: name, meaning: meaning, kind: .text) { row in
      row[keyPath: place].isEmpty ? .none : .bytes(row[keyPath: place])
    } take: { text, row in
      guard let bytes = Hex.bytes(text.utf8) else { return false }
      row[keyPath: place] = bytes
      return true
    }
  }

  /// A column of digests in base64, each of which another column has in hex.
  static func base64(
    _ name: String, _ meaning: String, _ value: @escaping @Sendable (Row) -> Digest256?
  ) -> Column {
    Column(name: name, meaning: meaning, kind: .text) { row in
      value(row).map { .base64($0) } ?? .none
    } take: { _, _ in
      true
    }
  }

  static func fingerprint(
    _ name: String, _ meaning: String, _ place: Place<UInt64>
  ) -> Column {
    Column(name: name, meaning: meaning, kind: .text) { row in
      .fingerprint(row[keyPath: place])
    } take: { text, row in
      guard let value = Hex.number(text) else { return false }
      row[keyPath: place] = value
      return true
    }
  }
}

/// The columns of a table, in their order.
struct Columns<Row>: Sendable {
  let list: [Column<Row>]
  /// The beginning of each member of a JSON object: comma, name and colon.
  private let members: [String]
  private let places: [String: Int]

  init(_ list: [Column<Row>]) {
    self.list = list
    members = list.enumerated().map { ($0 == 0 ? "{\"" : ",\"") + $1.name + "\":" }
    places = Dictionary(
      list.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  var names: [String] { list.map(\.name) }
  /// The first line of CSV, without its end.
  var header: String { names.joined(separator: ",") }

  // MARK: Writing

  /// Writes the first line of CSV.
  func writeHeader(to rows: inout RowBuffer) {
    rows.append(header)
    rows.endRow()
  }

  /// Writes a row of CSV.
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

  /// Returns the columns as members of a JSON object.
  func members(of row: Row) -> [(String, JSONTree)] {
    var members: [(String, JSONTree)] = []
    for column in list { members.append((column.name, column.value(row).tree)) }
    return members
  }

  // MARK: Reading

  /// Reads a JSON object into `row`. Members of other names are passed over.
  ///
  /// - Returns: The name of the column whose value cannot be read or is missing, or nil.
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
      guard let text = value.text(asNumber: column.kind.isNumber), column.take(text, &row) else {
        return column.name
      }
      if column.isRequired { missing -= 1 }
    }
    guard missing > 0 else { return nil }
    return list.first { $0.isRequired && line[$0.name] == nil }?.name ?? list.first?.name
  }

  /// Returns the places of a CSV header's names among the columns, or nil if it lacks a column that
  /// every row needs.
  func places(of header: [String]) -> [Int?]? {
    let found = header.map { places[$0] }
    let isWhole = list.indices.allSatisfy { !list[$0].isRequired || found.contains($0) }
    return isWhole ? found : nil
  }

  /// Reads the fields of a row of CSV. Texts stay as the table shows them.
  ///
  /// - Returns: Whether all of them can be read.
  func read(_ fields: [String], _ places: [Int?], into row: inout Row) -> Bool {
    guard fields.count == places.count else { return false }
    for (field, place) in zip(fields, places) {
      guard let place else { continue }
      if field.isEmpty {
        guard !list[place].isRequired else { return false }
      } else {
        guard list[place].take(field, &row) else { return false }
      }
    }
    return true
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

  /// The value as a member of a JSON document.
  var tree: JSONTree {
    switch self {
    case .none: .null
    case .word(let text), .text(let text), .path(let text): .string(text)
    case .words(let words): .array(words.map { .string($0) })
    case .number(let number): .number(number)
    case .time(let time): .string(CivilTime(milliseconds: time).text)
    case .digest(let digest): .string(digest.hex)
    case .bytes(let bytes): .string(Hex.text(bytes))
    case .base64(let digest): .string(Base64Text.text(digest.bytes))
    case .fingerprint(let value): .string(Hex.text(value))
    }
  }
}

extension RowBuffer {
  /// Appends a value as a field of CSV.
  mutating func append(csv value: ColumnValue) {
    switch value {
    case .none: break
    case .word(let word): append(word)
    case .text(let text): append(csv: text, guarded: true)
    case .path(let path): append(csvPath: path)
    default: append(plain: value)
    }
  }

  /// Appends a value as one of JSON.
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
