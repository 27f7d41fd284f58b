/// Text that can be shown unchanged in a table and on a terminal.
enum PlainText {
  /// Returns true only for a text that a CSV field can hold unchanged. In doubt it returns false.
  static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    unsafe !startsFormula(text.first)
      && text.allSatisfy { isPlain($0) && $0 != UInt8(ascii: ",") }
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
