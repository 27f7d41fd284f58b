internal import AppAttest
internal import AuditLog
internal import Basics

/// A JSON value of a report, with the values inside it.
struct StoredValue {
  /// The value, followed by the values inside it.
  let values: ArraySlice<JSONDocument.Value>

  /// Reads a text that is one JSON object.
  init?(_ text: ArraySlice<UInt8>, _ document: JSONDocument) {
    guard let values = document.read(text), values.first?.kind == .object else { return nil }
    self.values = values[...]
  }

  private init(values: ArraySlice<JSONDocument.Value>) { self.values = values }

  private var kind: JSONDocument.Kind { values[values.startIndex].kind }

  /// The member of that name, or nil if it is absent or null.
  subscript(name: String) -> StoredValue? {
    guard kind == .object else { return nil }
    var index = values.startIndex + 1
    while index < values.endIndex {
      let value = values[index]
      if value.name?.elementsEqual(name.utf8) == true {
        return value.kind == .null
          ? nil : StoredValue(values: values[index..<min(values.endIndex, index + value.size)])
      }
      index += max(1, value.size)
    }
    return nil
  }

  /// The members of an object, with their names. Any other value has none.
  var members: [(name: ArraySlice<UInt8>, value: StoredValue)] {
    guard kind == .object else { return [] }
    return elements(from: values.startIndex + 1).compactMap { element in
      element.values[element.values.startIndex].name.map { ($0, element) }
    }
  }

  var isNull: Bool { kind == .null }

  /// The elements of an array. Any other value has none.
  var elements: [StoredValue] {
    kind == .array ? elements(from: values.startIndex + 1) : []
  }

  private func elements(from start: Int) -> [StoredValue] {
    var elements: [StoredValue] = []
    var index = start
    while index < values.endIndex {
      let size = max(1, values[index].size)
      elements.append(StoredValue(values: values[index..<min(values.endIndex, index + size)]))
      index += size
    }
    return elements
  }

  /// The text of a string, or nil for any other value.
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

  /// The bytes of a string of hex digits, or nil for any other value.
  var hexBytes: [UInt8]? {
    guard kind == .string else { return nil }
    return Hex.bytes(values[values.startIndex].text)
  }
}
