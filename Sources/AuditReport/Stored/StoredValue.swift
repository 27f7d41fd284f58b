internal import AppAttest
internal import AuditLog
internal import Basics

/// A JSON value of a report, with what it holds.
struct StoredValue {
  /// The value, and those in it behind it.
  let values: ArraySlice<JSONDocument.Value>

  /// Reads a text that is one JSON object.
  init?(_ text: ArraySlice<UInt8>, _ document: JSONDocument) {
    guard let values = document.read(text), values.first?.kind == .object else { return nil }
    self.values = values[...]
  }

  private init(values: ArraySlice<JSONDocument.Value>) { self.values = values }

  private var kind: JSONDocument.Kind { values[values.startIndex].kind }

  /// Returns the member of that name, or nil if there is none, or it is null.
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

  /// The elements of an array; none of anything else.
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

  /// The value as it stands in the text.
  var raw: ArraySlice<UInt8> { values[values.startIndex].raw }

  /// The text of a string; nil for anything else.
  var string: String? {
    kind == .string ? String(decoding: values[values.startIndex].text, as: UTF8.self) : nil
  }

  /// Returns a whole number from 0; nil for anything else.
  func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
    guard kind == .number else { return nil }
    return Number(String(decoding: values[values.startIndex].text, as: UTF8.self))
  }

  /// The bytes of a string of hex digits; nil for anything else.
  var hexBytes: [UInt8]? {
    guard kind == .string else { return nil }
    return Hex.bytes(values[values.startIndex].text)
  }
}
