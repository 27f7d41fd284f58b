/// Text that can be shown unchanged in a table and on a terminal.
enum PlainText {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let tops: UInt64 = 0x8080_8080_8080_8080

  /// Returns true only for a text that a CSV field can hold unchanged. In doubt it returns false.
  static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard unsafe !startsFormula(text.first) else { return false }
    return unsafe hasNone(text) { controls($0) | marks($0, at: UInt8(ascii: ",")) }
  }

  /// Returns true only for a text that is the same between the quotes of JSON.
  static func isPlainJSON(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    unsafe hasNone(text) { controls($0) | marks($0, at: UInt8(ascii: "\\")) }
  }

  /// Returns the marks of DEL and of the bytes that begin control characters beyond C0.
  @inline(__always)
  private static func controls(_ word: UInt64) -> UInt64 {
    marks(word, at: 0x7F) | marks(word, at: 0xC2) | marks(word, at: 0xD8) | marks(word, at: 0xE2)
  }

  /// Returns whether a spreadsheet takes a text that begins with this byte for a formula.
  static func startsFormula(_ byte: UInt8?) -> Bool {
    switch byte {
    case UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"), 0x09, 0x0D:
      true
    default: false
    }
  }

  /// Returns whether a text has no C0 control, no quote, and no byte that `others` marks.
  @inline(__always)
  private static func hasNone(
    _ text: UnsafeBufferPointer<UInt8>, _ others: (UInt64) -> UInt64
  ) -> Bool {
    guard let start = text.baseAddress else { return true }
    let bytes = unsafe UnsafeRawPointer(start)
    func isPlain(_ word: UInt64) -> Bool {
      let isBelowSpace = (word &- ones &* 0x20) & ~word
      let found = isBelowSpace | marks(word, at: UInt8(ascii: "\"")) | others(word)
      return found & tops == 0
    }
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

  /// Returns a word whose top bits are set at bytes of that value, and perhaps above such a byte.
  @inline(__always)
  private static func marks(_ word: UInt64, at value: UInt8) -> UInt64 {
    let difference = word ^ ones &* UInt64(value)
    return (difference &- ones) & ~difference
  }
}
