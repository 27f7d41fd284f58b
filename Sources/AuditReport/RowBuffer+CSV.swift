/// RFC 4180 fields.
extension RowBuffer {
  @inline(__always)
  mutating func comma() {
    append(UInt8(ascii: ","))
  }

  /// Ends a row.
  @inline(__always)
  mutating func endRow() {
    append(0x0D)
    append(0x0A)
  }

  /// A text field, quoted where it holds a comma, a quote, CR or LF. With `guarded`, a text that a
  /// spreadsheet would run as a formula gets a leading apostrophe.
  mutating func append(csv text: String, guarded: Bool = false) {
    var needsQuotes = false
    var first: UInt8?
    for byte in text.utf8 {
      if first == nil { first = byte }
      if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == 0x0D || byte == 0x0A {
        needsQuotes = true
        break
      }
    }
    let needsGuard = guarded && first.map(Self.startsFormula) == true
    if needsQuotes { append(UInt8(ascii: "\"")) }
    if needsGuard { append(UInt8(ascii: "'")) }
    if needsQuotes {
      for byte in text.utf8 {
        if byte == UInt8(ascii: "\"") { append(byte) }
        append(byte)
      }
      append(UInt8(ascii: "\""))
    } else {
      append(text)
    }
  }

  private static func startsFormula(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D:
      true
    default: false
    }
  }

  /// A number and a comma, or the comma alone.
  @inline(__always)
  mutating func append<Number: BinaryInteger>(csvNumber value: Number?) {
    if let value { append(decimal: UInt64(truncatingIfNeeded: value)) }
    comma()
  }

  /// A time and a comma, or the comma alone.
  @inline(__always)
  mutating func append(csvTime value: Int64?) {
    if let value { append(time: value) }
    comma()
  }
}
