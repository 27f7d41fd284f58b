internal import Basics

extension RowBuffer {
  @inline(__always)
  mutating func comma() {
    append(UInt8(ascii: ","))
  }

  @inline(__always)
  mutating func endRow() {
    append(0x0D)
    append(0x0A)
  }

  /// Appends a field, quoted as needed. If `guarded`, a formula of spreadsheets gets a leading apostrophe.
  mutating func append(csv text: String, guarded: Bool = false) {
    let isDone = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
      guard unsafe PlainText.isPlain(bytes) else { return false }
      unsafe append(copying: bytes)
      return true
    }
    if isDone != true { append(oddCSV: text, guarded: guarded) }
  }

  private mutating func append(oddCSV text: String, guarded: Bool) {
    let isGuarded = guarded && PlainText.startsFormula(text.utf8.first)
    var text = ControlCharacters.shown(text)
    text.withUTF8 { unsafe append(plainCSV: $0, isGuarded: isGuarded) }
  }

  /// Appends the path of an input, guarded like text from a log. `-` is no formula.
  mutating func append(csvPath path: String) { append(csv: path, guarded: path != "-") }

  static func guarded(path: String) -> String { path == "-" ? path : guarded(path) }

  /// Returns text of a log as a table's field without quotes. A text in that form stays the same.
  static func guarded(_ text: String) -> String {
    let isPlain = unsafe text.utf8.withContiguousStorageIfAvailable { unsafe PlainText.isPlain($0) }
    if isPlain == true { return text }
    let shown = ControlCharacters.shown(text)
    return PlainText.startsFormula(text.utf8.first) ? "'" + shown : shown
  }

  private mutating func append(plainCSV text: UnsafeBufferPointer<UInt8>, isGuarded: Bool) {
    let quote = UInt8(ascii: "\"")
    let needsQuotes = unsafe text.contains { $0 == UInt8(ascii: ",") || $0 == quote }
    if needsQuotes { append(quote) }
    if isGuarded { append(UInt8(ascii: "'")) }
    guard needsQuotes else { return unsafe append(copying: text) }
    var rest = unsafe text[...]
    while let next = unsafe rest.firstIndex(of: quote) {
      unsafe append(copying: UnsafeBufferPointer(rebasing: rest[...next]))
      append(quote)
      unsafe rest = rest[(next + 1)...]
    }
    unsafe append(copying: UnsafeBufferPointer(rebasing: rest))
    append(quote)
  }

  /// Appends a number and a comma, or only the comma.
  @inline(__always)
  mutating func append<Number: BinaryInteger>(csvNumber value: Number?) {
    if let value { append(decimal: UInt64(truncatingIfNeeded: value)) }
    comma()
  }
}

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
}

/// Text that can be shown unchanged in a table and on a terminal.
enum PlainText {
  /// Returns true only for a text that a CSV field can hold unchanged. In doubt it returns false.
  static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    unsafe !startsFormula(text.first) && text.allSatisfy { isPlain($0) && $0 != UInt8(ascii: ",") }
  }

  /// Returns true only for a text that is the same between the quotes of JSON.
  static func isPlainJSON(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    unsafe text.allSatisfy { isPlain($0) && $0 != UInt8(ascii: "\\") }
  }

  /// Returns whether a byte is neither a quote nor the beginning of a control character.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case 0..<0x20, UInt8(ascii: "\""), 0x7F, 0xC2, 0xD8, 0xE2: false
    default: true
    }
  }

  /// Returns whether a spreadsheet takes a text that begins with this byte for a formula.
  static func startsFormula(_ byte: UInt8?) -> Bool {
    switch byte {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D:
      true
    default: false
    }
  }
}
