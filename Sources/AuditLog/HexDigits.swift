/// Hexadecimal digits in either case, as logs hold them.
package enum HexDigits {
  /// The value of one digit, or nil.
  @inline(__always)
  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit &- UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit &- UInt8(ascii: "a") &+ 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit &- UInt8(ascii: "A") &+ 10
    default: nil
    }
  }

  /// Appends the decoded bytes to `output` and tells where they lie; nil, with `output` as it was,
  /// where `text` is not an even number of digits.
  package static func decode(
    _ text: UnsafeBufferPointer<UInt8>, into output: inout ByteBuffer
  ) -> Range<Int>? {
    guard text.count.isMultiple(of: 2) else { return nil }
    let count = text.count / 2
    return unsafe output.append(atMost: count) { target in
      for index in 0..<count {
        guard let high = unsafe value(text[2 * index]),
          let low = unsafe value(text[2 * index + 1])
        else { return nil }
        unsafe target[index] = high << 4 | low
      }
      return count
    }
  }
}
