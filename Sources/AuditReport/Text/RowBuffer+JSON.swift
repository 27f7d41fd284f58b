/// RFC 8259 values.
extension RowBuffer {
  /// A string with its quotes; control characters, quotes and backslashes are escaped.
  mutating func append(json text: String) {
    append(UInt8(ascii: "\""))
    if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
    {
      append(text)
    } else {
      for byte in text.utf8 { append(escaped: byte) }
    }
    append(UInt8(ascii: "\""))
  }

  private mutating func append(escaped byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): append(ascii: "\\\"")
    case UInt8(ascii: "\\"): append(ascii: "\\\\")
    case 0x08: append(ascii: "\\b")
    case 0x09: append(ascii: "\\t")
    case 0x0A: append(ascii: "\\n")
    case 0x0C: append(ascii: "\\f")
    case 0x0D: append(ascii: "\\r")
    case 0x00..<0x20:
      append(ascii: "\\u00")
      let digits = [byte]
      append(hex: digits.span)
    default: append(byte)
    }
  }

  /// A string, or null where the text is empty.
  mutating func append(jsonOrNull text: String) {
    if text.isEmpty { append(ascii: "null") } else { append(json: text) }
  }

  /// A number, or null.
  mutating func append<Number: BinaryInteger>(jsonOrNull value: Number?) {
    if let value {
      append(decimal: UInt64(truncatingIfNeeded: value))
    } else {
      append(ascii: "null")
    }
  }

  /// Text that needs no escaping between quotes, written by `body`; null where `value` is nil.
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
