/// Base64 and base64url (RFC 4648, sections 4 and 5) as logs hold them: padded or not, either
/// alphabet, and a space where form decoding has eaten a `+`.
package enum Base64 {
  /// The value of each ASCII character, 0xFF where it has none.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    for (value, character) in alphabet.utf8.enumerated() {
      values[Int(character)] = UInt8(value)
    }
    for (character, value) in [("+", 62), ("-", 62), (" ", 62), ("/", 63), ("_", 63)] {
      for byte in character.utf8 { values[Int(byte)] = UInt8(value) }
    }
    return values
  }()

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
    guard count > 0 else { return output.count..<output.count }
    return unsafe output.append(atMost: count) { target in
      unsafe values.withUnsafeBufferPointer { values in
        let isValid = unsafe decode(text, length: length, values: values, into: target)
        return isValid ? count : nil
      }
    }
  }

  /// Decodes the first `length` characters; false where one of them has no value.
  private static func decode(
    _ text: UnsafeBufferPointer<UInt8>, length: Int, values: UnsafeBufferPointer<UInt8>,
    into target: UnsafeMutableBufferPointer<UInt8>
  ) -> Bool {
    guard let text = text.baseAddress, let target = target.baseAddress,
      let values = values.baseAddress
    else { return length == 0 }
    var seen: UInt8 = 0
    var from = 0
    var to = 0
    while from &+ 4 <= length {
      let a = unsafe values[Int(text[from])]
      let b = unsafe values[Int(text[from &+ 1])]
      let c = unsafe values[Int(text[from &+ 2])]
      let d = unsafe values[Int(text[from &+ 3])]
      seen |= a | b | c | d
      unsafe target[to] = a &<< 2 | b &>> 4
      unsafe target[to &+ 1] = b &<< 4 | c &>> 2
      unsafe target[to &+ 2] = c &<< 6 | d
      from &+= 4
      to &+= 3
    }
    if from &+ 2 <= length {
      let a = unsafe values[Int(text[from])]
      let b = unsafe values[Int(text[from &+ 1])]
      seen |= a | b
      unsafe target[to] = a &<< 2 | b &>> 4
      if from &+ 3 <= length {
        let c = unsafe values[Int(text[from &+ 2])]
        seen |= c
        unsafe target[to &+ 1] = b &<< 4 | c &>> 2
      }
    }
    return seen & 0x80 == 0
  }
}
