internal import AppAttest
internal import AuditLog
internal import Basics

/// A JSON value of a report, with the values inside it.
struct StoredValue {
  /// The value, followed by the values inside it.
  private let values: JSONNodes

  /// Reads a text that is one JSON object.
  init?(_ text: ArraySlice<UInt8>, _ document: JSONDocument) {
    guard let values = document.read(text), values.first?.kind == .object else { return nil }
    self.values = values[...]
  }

  private init(values: JSONNodes) { self.values = values }

  private var kind: JSONDocument.Kind { values[values.startIndex].kind }

  /// The member of that name, or nil if it is absent or null.
  subscript(name: String) -> StoredValue? {
    let member = members.first { $0.name.elementsEqual(name.utf8) }?.value
    return member.flatMap { $0.isNull ? nil : $0 }
  }

  /// The members of an object, with their names. Any other value has none.
  var members: [(name: ArraySlice<UInt8>, value: StoredValue)] {
    guard kind == .object else { return [] }
    return values.parts.compactMap { part in
      part.first?.name.map { ($0, StoredValue(values: part)) }
    }
  }

  var isNull: Bool { kind == .null }

  /// The elements of an array. Any other value has none.
  var elements: [StoredValue] {
    kind == .array ? values.parts.map { StoredValue(values: $0) } : []
  }

  var string: String? {
    kind == .string ? String(decoding: values[values.startIndex].text, as: UTF8.self) : nil
  }

  /// Returns the text of a column's value, or nil if the value is of another kind.
  func text(_ column: ColumnKind) -> String? {
    switch (column, kind) {
    case (.number, .number), (.text, .string), (.time, .string):
      String(decoding: values[values.startIndex].text, as: UTF8.self)
    case (.words, .array): elements.compactMap(\.string).joined(separator: ";")
    default: nil
    }
  }

  /// Returns a whole number from 0, or nil for any other value.
  func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
    guard kind == .number else { return nil }
    return Number(String(decoding: values[values.startIndex].text, as: UTF8.self))
  }
}
