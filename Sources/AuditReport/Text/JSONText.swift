internal import Basics
internal import Foundation

/// A JSON document whose members keep their order.
package indirect enum JSONTree: Sendable, Equatable {
  case null
  case string(String)
  case number(UInt64)
  case integer(Int64)
  case boolean(Bool)
  /// A number of milliseconds, written as seconds with three decimals.
  case seconds(Int64)
  case array([JSONTree])
  /// An array of so many elements, each made when it is written.
  case list(Int, @Sendable (Int) -> JSONTree)
  case object([(String, JSONTree)])

  static func time(_ milliseconds: Int64?) -> JSONTree {
    milliseconds.map { .string(CivilTime(milliseconds: $0).text) } ?? .null
  }

  var text: String {
    var rows = RowBuffer()
    write(to: &rows)
    return rows.text
  }

  package static func == (left: JSONTree, right: JSONTree) -> Bool { left.text == right.text }

  /// Writes the document with two spaces a level, the empty array and object on one line.
  func write(to rows: inout RowBuffer) { write(to: &rows, indent: 0) { _ in } }

  /// Writes the document as ``write(to:)`` does, and calls `flush` after every element.
  func write<Failure>(
    to rows: inout RowBuffer, flush: (inout RowBuffer) throws(Failure) -> Void
  ) throws(Failure) {
    try write(to: &rows, indent: 0, flush)
  }

  /// Writes the document and a line end. Members that are null or empty are left out.
  func writeLine(to rows: inout RowBuffer) {
    filled.write(to: &rows, indent: nil) { _ in }
    rows.append(ascii: "\n")
  }

  /// Writes the document for a `script` element: nothing ends it or begins a comment.
  func write(toScript rows: inout RowBuffer) {
    var text = RowBuffer()
    write(to: &text, indent: nil) { _ in }
    for scalar in text.text.unicodeScalars {
      switch scalar {
      case "<", ">", "&": rows.append(OneLine.escape(scalar))
      case " "..."~": rows.append(UInt8(ascii: scalar))
      default:
        let isHidden = scalar.isUnseen && scalar.value <= 0xFFFF
        rows.append(isHidden ? OneLine.escape(scalar) : String(scalar))
      }
    }
  }

  /// Writes the document, without a space if `indent` is nil.
  private func write<Failure>(
    to rows: inout RowBuffer, indent: Int?, _ flush: (inout RowBuffer) throws(Failure) -> Void
  ) throws(Failure) {
    switch self {
    case .null: rows.append(ascii: "null")
    case .string(let text): rows.append(json: text)
    case .number(let value): rows.append(decimal: value)
    case .integer(let value): rows.append(signed: value)
    case .boolean(let value): rows.append(value ? "true" : "false")
    case .seconds(let milliseconds):
      if milliseconds < 0 { rows.append(UInt8(ascii: "-")) }
      rows.append(decimal: milliseconds.magnitude / 1000)
      rows.append(UInt8(ascii: "."))
      rows.append(decimal: milliseconds.magnitude % 1000, width: 3)
    case .array(let values):
      try JSONTree.list(values.count) { values[$0] }.write(to: &rows, indent: indent, flush)
    case .list(let count, let element):
      try Self.write(count, between: "[", "]", to: &rows, indent, flush) {
        index, rows throws(Failure) in
        try element(index).write(to: &rows, indent: indent.map { $0 + 2 }, flush)
      }
    case .object(let members):
      try Self.write(members.count, between: "{", "}", to: &rows, indent, flush) {
        index, rows throws(Failure) in
        rows.append(json: members[index].0)
        rows.append(ascii: indent == nil ? ":" : ": ")
        try members[index].1.write(to: &rows, indent: indent.map { $0 + 2 }, flush)
      }
    }
  }

  private static func write<Failure>(
    _ count: Int, between open: StaticString, _ close: StaticString, to rows: inout RowBuffer,
    _ indent: Int?, _ flush: (inout RowBuffer) throws(Failure) -> Void,
    _ element: (Int, inout RowBuffer) throws(Failure) -> Void
  ) throws(Failure) {
    func breakLine(_ spaces: Int, _ rows: inout RowBuffer) {
      guard let indent else { return }
      rows.append("\n" + String(repeating: " ", count: indent + spaces))
    }
    rows.append(ascii: open)
    for index in 0..<count {
      if index > 0 { rows.comma() }
      breakLine(2, &rows)
      try element(index, &rows)
      try flush(&rows)
    }
    if count > 0 { breakLine(0, &rows) }
    rows.append(ascii: close)
  }

  private var filled: JSONTree {
    switch self {
    case .array(let values): .array(values.map(\.filled))
    case .list(let count, let element): .list(count) { element($0).filled }
    case .object(let members): .object(members.filter { !$0.1.isEmpty }.map { ($0, $1.filled) })
    default: self
    }
  }

  package var isEmpty: Bool {
    switch self {
    case .null: true
    case .string(let text): text.isEmpty
    case .array(let values): values.isEmpty
    case .list(let count, _): count == 0
    case .object(let members): members.allSatisfy { $0.1.isEmpty }
    case .number, .integer, .boolean, .seconds: false
    }
  }
}

extension JSONTree: ExpressibleByStringInterpolation, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  package init(stringLiteral text: String) { self = .string(text) }
  package init(arrayLiteral elements: JSONTree...) { self = .array(elements) }
  package init(dictionaryLiteral members: (String, JSONTree)...) { self = .object(members) }
}

/// JSON for people: indented, with members sorted by name.
package enum JSONText {
  package static func pretty(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  }

  /// Returns the text of an object of these members, without those that are nil.
  package static func pretty(members: [String: (any Encodable)?]) throws -> String {
    try pretty(members.compactMapValues { $0.map(Member.init) })
  }

  private struct Member: Encodable {
    let value: any Encodable

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
  }
}

/// Rows of the tables that commands print, made of texts by the same rules as those of reports.
package enum TextRow {
  /// Returns a row of CSV (RFC 4180). `guarded` texts are written so that no spreadsheet runs them.
  package static func csv(_ values: [String], guarded: Bool) -> String {
    var rows = RowBuffer()
    for (index, text) in values.enumerated() {
      if index > 0 { rows.comma() }
      rows.append(csv: text, guarded: guarded)
    }
    rows.endRow()
    return rows.text
  }

  /// Returns a line of JSON Lines without empty members. Values of `bare` columns have no quotes.
  package static func json(
    _ members: [(column: String, text: String)], bare: Set<String>
  ) -> String {
    let texts = members.filter { !$0.text.isEmpty }.map { column, text in
      "\"\(column)\":"
        + (bare.contains(column) ? text : String(decoding: JSONString.quoted(text), as: UTF8.self))
    }
    return "{" + texts.joined(separator: ",") + "}\n"
  }
}
