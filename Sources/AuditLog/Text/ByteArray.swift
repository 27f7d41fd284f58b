/// Bytes as JSON arrays of numbers (`records.R82`): `[162,105]`, or `{"type":"Buffer","data":[162,105]}` as
/// Node.js writes them.
package enum ByteArray {
  /// Appends the bytes to `output` and returns their range, or returns nil if `text` is not such an array.
  package static func decode(
    _ text: UnsafeBufferPointer<UInt8>, into output: inout ByteBuffer
  ) -> Range<Int>? {
    let text = unsafe Span(_unsafeElements: text)
    let start = output.count
    var at = 0
    guard
      reads(
        text, &at,
        {
          output.append($0)
          return true
        }), skipSpace(text, &at) == nil
    else {
      output.drop(to: start)
      return nil
    }
    return start..<output.count
  }

  /// Appends up to `most` bytes of the array that begins a text, and returns the place after them.
  static func decode(
    _ text: Span<UInt8>, atMost most: Int, into output: inout ByteBuffer
  ) -> Int {
    var at = 0
    let end = most < Int.max - output.count ? output.count + most : Int.max
    _ = readsList(text, &at) {
      output.append($0)
      return output.count < end
    }
    return at
  }

  static func goesOn(_ text: Span<UInt8>, _ at: Int) -> Bool {
    var at = at
    return skipSpace(text, &at) == UInt8(ascii: ",")
  }

  private static func reads(_ text: Span<UInt8>, _ at: inout Int, _ body: (UInt8) -> Bool) -> Bool {
    guard skipSpace(text, &at) == UInt8(ascii: "{") else { return readsList(text, &at, body) }
    var hasType = false
    var hasData = false
    repeat {
      at += 1
      if !hasType, passes("\"type\"", text, &at) {
        hasType = true
        guard passes(":", text, &at), passes("\"Buffer\"", text, &at) else { return false }
      } else if !hasData, passes("\"data\"", text, &at) {
        hasData = true
        guard passes(":", text, &at), skipSpace(text, &at) != nil, readsList(text, &at, body) else {
          return false
        }
      } else {
        return false
      }
    } while skipSpace(text, &at) == UInt8(ascii: ",")
    return hasType && hasData && passes("}", text, &at)
  }

  /// Reads an array, until `body` wants no further byte.
  private static func readsList(_ text: Span<UInt8>, _ at: inout Int, _ body: (UInt8) -> Bool)
    -> Bool
  {
    guard at < text.count, text[at] == UInt8(ascii: "[") else { return false }
    at += 1
    if skipSpace(text, &at) == UInt8(ascii: "]") {
      at += 1
      return true
    }
    while let byte = number(text, &at) {
      guard body(byte) else { return false }
      let next = skipSpace(text, &at)
      guard next == UInt8(ascii: "]") || next == UInt8(ascii: ",") else { return false }
      at += 1
      if next == UInt8(ascii: "]") { return true }
    }
    return false
  }

  /// Reads a number of JSON whose value is a byte: `162`, `162.0` and `1.62e2` are one.
  private static func number(_ text: Span<UInt8>, _ at: inout Int) -> UInt8? {
    skipSpace(text, &at)
    var end = at
    guard let number = DecimalNumber(text, &end), let (value, isCut) = number.whole(),
      let byte = UInt8(exactly: value), !isCut, byte == 0 || !number.isNegative
    else { return nil }
    at = end
    return byte
  }

  /// Passes over white space and plus signs (`records.R33`). Returns the byte after them, or nil.
  @discardableResult
  private static func skipSpace(_ text: Span<UInt8>, _ at: inout Int) -> UInt8? {
    while at < text.count {
      switch text[at] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"),
        UInt8(ascii: "+"):
        at += 1
      default: return text[at]
      }
    }
    return nil
  }

  private static func passes(_ word: String, _ text: Span<UInt8>, _ at: inout Int) -> Bool {
    skipSpace(text, &at)
    guard text.count - at >= word.utf8.count,
      zip(word.utf8, at...).allSatisfy({ text[$1] == $0 })
    else { return false }
    at += word.utf8.count
    return true
  }
}
