internal import CSimdjson

/// Base64 and base64url (RFC 4648, sections 4 and 5) as logs hold them: padded or not, either
/// alphabet, and a space where form decoding has eaten a `+`.
package enum Base64 {
  /// Appends the decoded bytes to `output` and tells where they lie; nil, with `output` as it was,
  /// where `text` is no base64.
  package static func decode(
    _ text: UnsafeBufferPointer<UInt8>, into output: inout ByteBuffer
  ) -> Range<Int>? {
    var length = text.count
    var padding = 0
    while padding < 2, length > 0, unsafe text[length - 1] == UInt8(ascii: "=") {
      length -= 1
      padding += 1
    }
    let rest = length % 4
    guard rest != 1, padding == 0 || padding == (4 - rest) % 4 else { return nil }
    let count = length / 4 * 3 + (rest == 0 ? 0 : rest - 1)
    guard count > 0, let text = text.baseAddress else { return output.count..<output.count }
    return unsafe output.append(atMost: count) { target in
      guard let start = target.baseAddress else { return nil }
      return unsafe attest_base64_decode(text, length, start) != 0 ? count : nil
    }
  }
}
