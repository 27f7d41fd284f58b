/// Text that can be shown unchanged in a table and on a terminal.
enum PlainText {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let tops: UInt64 = 0x8080_8080_8080_8080

  /// Returns true only for a text that needs neither quotes in CSV, nor a guard against formulas,
  /// nor a change of any of its characters. In doubt it returns false.
  static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = text.baseAddress, let first = unsafe text.first else { return true }
    guard !startsFormula(first) else { return false }
    let bytes = unsafe UnsafeRawPointer(start)
    var at = 0
    while at + 8 <= text.count {
      guard unsafe isPlain(bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)) else {
        return false
      }
      at += 8
    }
    guard at < text.count else { return true }
    // The rest, padded with bytes that are plain.
    var rest = ones &* UInt64(UInt8(ascii: "a"))
    while at < text.count {
      rest = unsafe rest << 8 | UInt64(start[at])
      at += 1
    }
    return isPlain(rest)
  }

  /// Returns whether a spreadsheet takes a text that begins with this byte for a formula.
  static func startsFormula(_ byte: UInt8?) -> Bool {
    switch byte {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D:
      true
    default: false
    }
  }

  /// Returns whether none of eight bytes is a control character, a quote, a comma, or the first
  /// byte of a C1 control character in UTF-8.
  @inline(__always)
  private static func isPlain(_ word: UInt64) -> Bool {
    let isBelowSpace = (word &- ones &* 0x20) & ~word
    let found =
      isBelowSpace | zeroes(word ^ ones &* 0x7F) | zeroes(word ^ ones &* UInt64(UInt8(ascii: "\"")))
      | zeroes(word ^ ones &* UInt64(UInt8(ascii: ","))) | zeroes(word ^ ones &* 0xC2)
    return found & tops == 0
  }

  /// Returns a word whose top bits are set at bytes that are 0. Above such a byte, others may be
  /// set as well.
  @inline(__always)
  private static func zeroes(_ word: UInt64) -> UInt64 { (word &- ones) & ~word }
}
