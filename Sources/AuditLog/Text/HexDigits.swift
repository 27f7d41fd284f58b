internal import CSimdjson

/// Hexadecimal digits in either case, as logs hold them.
package enum HexDigits {
  /// Returns the length of the prefix that says that hex digits follow: `0x`, `\x` or `\\x`.
  package static func prefix(_ text: UnsafeBufferPointer<UInt8>) -> Int {
    var at = 0
    if unsafe text.first == UInt8(ascii: "0") {
      at = 1
    } else {
      while at < min(2, text.count), unsafe text[at] == UInt8(ascii: "\\") { at += 1 }
    }
    guard at > 0, at < text.count else { return 0 }
    return unsafe text[at] == UInt8(ascii: "x") ? at + 1 : 0
  }

  /// Appends the decoded bytes, or returns nil and appends none if `text` is not an even number of digits.
  package static func decode(
    _ text: UnsafeBufferPointer<UInt8>, into output: inout ByteBuffer
  ) -> Range<Int>? {
    guard text.count.isMultiple(of: 2) else { return nil }
    let count = text.count / 2
    guard count > 0, let text = text.baseAddress else { return output.count..<output.count }
    return unsafe output.append(atMost: count) { target in
      guard let start = target.baseAddress else { return nil }
      return unsafe attest_hex_decode(text, count, start) != 0 ? count : nil
    }
  }
}
