internal import Basics

/// RFC 8259 values.
extension RowBuffer {
  /// Appends a string with its quotes. Control characters, quotes and backslashes are escaped.
  mutating func append(json text: String) {
    let isDone = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
      guard unsafe PlainText.isPlainJSON(bytes) else { return false }
      append(UInt8(ascii: "\""))
      unsafe append(copying: bytes)
      append(UInt8(ascii: "\""))
      return true
    }
    guard isDone != true else { return }
    for byte in JSONString.quoted(text) { append(byte) }
  }

  /// Appends a string, or null if the text is empty.
  mutating func append(jsonOrNull text: String) {
    if text.isEmpty { append(ascii: "null") } else { append(json: text) }
  }

  /// Appends a number, or null.
  mutating func append<Number: BinaryInteger>(jsonOrNull value: Number?) {
    if let value {
      append(decimal: UInt64(truncatingIfNeeded: value))
    } else {
      append(ascii: "null")
    }
  }

  /// Appends text that needs no escaping between quotes, written by `body`, or null if `value` is
  /// nil.
  @inline(__always)
  mutating func append<Value>(
    quoted value: Value?, _ body: (inout RowBuffer, Value) -> Void
  ) {
    guard let value else {
      append(ascii: "null")
      return
    }
    append(UInt8(ascii: "\""))
    body(&self, value)
    append(UInt8(ascii: "\""))
  }
}
