internal import CSimdjson

/// A way in which a token is written in a text.
enum TokenForm: CaseIterable {
  /// Base64 of either alphabet. Line breaks and tabs are passed over; a space is a plus (`records.R33`).
  case base64
  /// The same, with spaces passed over (`records.R36`).
  case base64WithoutSpaces
  /// The same as lenient servers read it: other characters are passed over, up to a quote (`records.R34`).
  case lenientBase64
  case hex
  case array

  /// The sign at which a token of this form can be.
  var sign: attest_sign {
    switch self {
    case .base64, .base64WithoutSpaces, .lenientBase64: ATTEST_SIGN_BASE64
    case .hex: ATTEST_SIGN_HEX
    case .array: ATTEST_SIGN_ARRAY
    }
  }

  /// Whether a text in this form counts only if all of it is a token: anything can follow the token's characters.
  var isWhole: Bool { self == .lenientBase64 }

  /// Appends the bytes of the token that begins a text, at most so many. Returns the place after their characters:
  /// what is there cannot be decoded, or was not wanted.
  func decode(
    _ text: UnsafeBufferPointer<UInt8>, atMost most: Int, into output: inout ByteBuffer
  ) -> Int {
    switch self {
    case .base64: unsafe Self.decodeBase64(text, drops: { _, _ in false }, most, &output)
    case .base64WithoutSpaces:
      unsafe Self.decodeBase64(text, drops: { character, _ in character == 0x20 }, most, &output)
    case .lenientBase64: unsafe Self.decodeBase64(text, drops: Self.isDropped, most, &output)
    case .hex: unsafe Self.decodeHex(text, most, &output)
    case .array:
      unsafe ByteArray.decode(Span(_unsafeElements: text), atMost: most, into: &output)
    }
  }

  /// Returns whether a token that was decoded to a place goes on there. White space ends it there.
  func goesOn(_ text: UnsafeBufferPointer<UInt8>, at place: Int) -> Bool {
    guard place < text.count else { return false }
    switch self {
    case .base64, .base64WithoutSpaces: return unsafe Base64.value(text[place]) != nil
    case .lenientBase64: return false
    case .hex:
      return unsafe place + 1 < text.count && PercentCode.byte(text[place], text[place + 1]) != nil
    case .array: return unsafe ByteArray.goesOn(Span(_unsafeElements: text), place)
    }
  }

  /// Returns whether lenient servers pass over a character, before which so many bits are left over. An equals sign ends
  /// a group of two or three characters.
  private static func isDropped(_ character: UInt8, _ bits: Int) -> Bool {
    character == UInt8(ascii: "=")
      ? bits == 0 || bits == 6 : !"\"\\%".utf8.contains(character)
  }

  /// Decodes base64. `drops` returns whether a character is passed over, before which so many bits are left over.
  @inline(__always)
  private static func decodeBase64(
    _ text: UnsafeBufferPointer<UInt8>, drops: (UInt8, Int) -> Bool, _ most: Int,
    _ output: inout ByteBuffer
  ) -> Int {
    var bits: UInt32 = 0
    var count = 0
    var left = most
    for at in text.indices {
      let character = unsafe text[at]
      let value: UInt8
      if let found = Base64.value(character) {
        value = found
      } else if character &- 0x09 < 5 || drops(character, count) {
        continue
      } else if character == 0x20 {
        value = 62
      } else {
        return at
      }
      bits = bits << 6 | UInt32(value)
      count += 6
      guard count >= 8 else { continue }
      count -= 8
      output.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      left -= 1
      if left <= 0 { return at + 1 }
    }
    return text.count
  }

  private static func decodeHex(
    _ text: UnsafeBufferPointer<UInt8>, _ most: Int, _ output: inout ByteBuffer
  ) -> Int {
    var at = 0
    while at + 1 < text.count, at / 2 < most,
      let byte = unsafe PercentCode.byte(text[at], text[at + 1])
    {
      output.append(byte)
      at += 2
    }
    return at
  }
}
