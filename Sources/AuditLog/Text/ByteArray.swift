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
    guard reads(text, &at, { output.append($0) }), skipSpace(text, &at) == nil else {
      output.drop(to: start)
      return nil
    }
    return start..<output.count
  }

  /// Returns the bytes of the array whose bracket begins a text, up to the first element that is not a byte.
  static func bytes(_ text: Span<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var at = 0
    _ = readsList(text, &at) { bytes.append($0) }
    return bytes
  }

  /// Reads either form.
  private static func reads(_ text: Span<UInt8>, _ at: inout Int, _ body: (UInt8) -> Void) -> Bool {
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

  private static func readsList(_ text: Span<UInt8>, _ at: inout Int, _ body: (UInt8) -> Void)
    -> Bool
  {
    guard at < text.count, text[at] == UInt8(ascii: "[") else { return false }
    at += 1
    if skipSpace(text, &at) == UInt8(ascii: "]") {
      at += 1
      return true
    }
    while let byte = number(text, &at) {
      body(byte)
      let next = skipSpace(text, &at)
      at += 1
      if next == UInt8(ascii: "]") { return true }
      guard next == UInt8(ascii: ",") else { return false }
    }
    return false
  }

  /// Reads a number from 0 to 255, in one to three digits.
  private static func number(_ text: Span<UInt8>, _ at: inout Int) -> UInt8? {
    guard let first = skipSpace(text, &at), first &- UInt8(ascii: "0") <= 9 else { return nil }
    var value = 0
    let start = at
    while at < text.count, at - start < 4, text[at] &- UInt8(ascii: "0") <= 9 {
      value = value * 10 + Int(text[at] - UInt8(ascii: "0"))
      at += 1
    }
    guard at - start == 1 || first != UInt8(ascii: "0") else { return nil }
    return UInt8(exactly: value)
  }

  /// Passes over white space and returns the byte after it, or nil at the end.
  @discardableResult
  private static func skipSpace(_ text: Span<UInt8>, _ at: inout Int) -> UInt8? {
    while at < text.count {
      switch text[at] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): at += 1
      default: return text[at]
      }
    }
    return nil
  }

  /// Passes over white space and a word, if it is there.
  private static func passes(_ word: String, _ text: Span<UInt8>, _ at: inout Int) -> Bool {
    skipSpace(text, &at)
    guard text.count - at >= word.utf8.count,
      zip(word.utf8, at...).allSatisfy({ text[$1] == $0 })
    else { return false }
    at += word.utf8.count
    return true
  }
}
