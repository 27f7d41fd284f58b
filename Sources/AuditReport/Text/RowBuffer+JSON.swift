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

  /// Appends a number, or null.
  mutating func append<Number: BinaryInteger>(jsonOrNull value: Number?) {
    if let value {
      append(decimal: UInt64(truncatingIfNeeded: value))
    } else {
      append(ascii: "null")
    }
  }
}
