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

  /// The elements of an array. Any other value has none.
  var elements: [StoredValue] {
    guard kind == .array else { return [] }
    var elements: [StoredValue] = []
    var index = values.startIndex + 1
    while index < values.endIndex {
      let size = max(1, values[index].size)
      elements.append(StoredValue(values: values[index..<min(values.endIndex, index + size)]))
      index += size
    }
    return elements
  }

  /// The unchanged text of the value.
  var raw: ArraySlice<UInt8> { values[values.startIndex].raw }

  /// The text of a string, or nil for any other value.
  var string: String? {
    kind == .string ? String(decoding: values[values.startIndex].text, as: UTF8.self) : nil
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
