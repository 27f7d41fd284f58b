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

  /// Appends the bytes of the array whose bracket begins a text, up to the first element that is not a byte, at
  /// most so many. Returns the place after them.
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

  /// Returns whether a further element of an array follows.
  static func goesOn(_ text: Span<UInt8>, _ at: Int) -> Bool {
    var at = at
    return skipSpace(text, &at) == UInt8(ascii: ",")
  }

  /// Reads either form.
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

  /// Reads a number of JSON (RFC 8259, section 6) whose value is a byte: `162`, `162.0` and `1.62e2` are one.
  private static func number(_ text: Span<UInt8>, _ at: inout Int) -> UInt8? {
    guard let first = skipSpace(text, &at) else { return nil }
    let isNegative = first == UInt8(ascii: "-")
    var decimal = Decimal()
    var end = isNegative ? at + 1 : at
    let start = end
    guard decimal.readDigits(text, &end) > 0, end - start == 1 || text[start] != UInt8(ascii: "0")
    else { return nil }
    if end < text.count, text[end] == UInt8(ascii: ".") {
      end += 1
      let places = decimal.readDigits(text, &end)
      guard places > 0 else { return nil }
      decimal.power -= places
    }
    if end < text.count, text[end] | 0x20 == UInt8(ascii: "e") {
      end += 1
      let isBelow = end < text.count && text[end] == UInt8(ascii: "-")
      if isBelow || (end < text.count && text[end] == UInt8(ascii: "+")) { end += 1 }
      var exponent = 0
      let digits = end
      while end < text.count, text[end] &- UInt8(ascii: "0") <= 9 {
        exponent = min(exponent * 10 + Int(text[end] - UInt8(ascii: "0")), 1 << 40)
        end += 1
      }
      guard end > digits else { return nil }
      decimal.power += isBelow ? -exponent : exponent
    }
    guard let byte = decimal.byte, byte == 0 || !isNegative else { return nil }
    at = end
    return byte
  }

  /// A decimal number of any length, as far as it can be a byte.
  private struct Decimal {
    /// The digits between the zeros at both ends, and how many these are.
    private var value = 0
    private var count = 0
    /// The zeros after them, as long as no other digit follows.
    private var zeros = 0
    /// The power of ten of the last digit.
    var power = 0

    /// Reads digits and returns how many there are.
    mutating func readDigits(_ text: Span<UInt8>, _ at: inout Int) -> Int {
      let start = at
      while at < text.count, text[at] &- UInt8(ascii: "0") <= 9 {
        let digit = Int(text[at] - UInt8(ascii: "0"))
        at += 1
        if digit == 0 {
          if count > 0 { zeros += 1 }
          continue
        }
        count += zeros + 1
        // No byte has more than three digits.
        if count <= 3 { value = value * (zeros == 0 ? 10 : 100) + digit }
        zeros = 0
      }
      return at - start
    }

    /// The byte that the number is, or nil if it is none.
    var byte: UInt8? {
      if count == 0 { return 0 }
      switch count <= 3 ? power + zeros : -1 {
      case 0: return UInt8(exactly: value)
      case 1: return UInt8(exactly: value * 10)
      case 2: return UInt8(exactly: value * 100)
      default: return nil
      }
    }
  }

  /// Passes over white space and returns the byte after it, or nil at the end. A plus sign is the white space
  /// of forms (`records.R33`); no number of JSON begins with one.
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
