internal import AppAttest
internal import AuditLog

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

  /// The member of that name; nil where there is none, or it is null.
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

  /// The text of a string; nil for anything else.
  var string: String? {
    kind == .string ? String(decoding: values[values.startIndex].text, as: UTF8.self) : nil
  }

  /// A whole number from 0; nil for anything else.
  func number<Number: FixedWidthInteger>(_ type: Number.Type = Number.self) -> Number? {
    guard kind == .number else { return nil }
    return Number(String(decoding: values[values.startIndex].text, as: UTF8.self))
  }

  /// The bytes of a string of hex digits; nil for anything else.
  var hexBytes: [UInt8]? {
    guard kind == .string else { return nil }
    return StoredHex.bytes(values[values.startIndex].text)
  }
}

/// Lower-case hex as reports have it.
enum StoredHex {
  /// Returns the bytes; nil where the text is not an even number of lower-case digits.
  static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 2)
    var high: UInt8?
    for byte in text {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      default: return nil
      }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return bytes
  }

  /// Returns the number of 16 digits; nil for anything else.
  static func number(_ text: String) -> UInt64? {
    guard text.utf8.count == 16, let bytes = bytes(text.utf8) else { return nil }
    return bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
