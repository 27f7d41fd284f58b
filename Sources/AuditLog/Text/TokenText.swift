internal import CSimdjson

/// The ways in which tokens, and texts with tokens, are written in logs. What cannot be decoded ends a token, and
/// stays in a text.
enum TokenText {
  /// Appends the bytes of a token that begins a text, at most so many and a few more.
  typealias Decoder = (UnsafeBufferPointer<UInt8>, Int, inout ByteBuffer) -> Void

  /// Appends what base64 of either alphabet stands for, from the beginning of a text to the first character that
  /// is not of it. Escapes and percent signs are decoded; line breaks are passed over.
  static func decodeBase64(
    _ text: UnsafeBufferPointer<UInt8>, atMost most: Int, into output: inout ByteBuffer
  ) {
    var at = 0
    var bits: UInt32 = 0
    var count = 0
    let start = output.count
    while at < text.count, output.count - start < most {
      let (character, length) = unsafe character(text, at)
      at += length
      if character == 0x0A || character == 0x0D || character == 0x09 { continue }
      guard let value = Base64.value(character) else { return }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        output.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
  }

  /// Appends what hex digits stand for, up to the first other character.
  static func decodeHex(
    _ text: UnsafeBufferPointer<UInt8>, atMost most: Int, into output: inout ByteBuffer
  ) {
    var at = 0
    while at + 1 < text.count, at < 2 * most,
      let byte = unsafe PercentCode.byte(text[at], text[at + 1])
    {
      output.append(byte)
      at += 2
    }
  }

  /// Appends the bytes of an array of numbers, as far as they go.
  static func decodeArray(
    _ text: UnsafeBufferPointer<UInt8>, atMost most: Int, into output: inout ByteBuffer
  ) {
    // A number has three digits and a comma, and rarely more space than that.
    var part = unsafe UnsafeBufferPointer(rebasing: text.prefix(8 * most))
    // A number that is cut is another number.
    if part.count < text.count, let comma = unsafe part.lastIndex(of: UInt8(ascii: ",")) {
      unsafe part = UnsafeBufferPointer(rebasing: part[..<comma])
    }
    for byte in ByteArray.bytes(unsafe Span(_unsafeElements: part)) { output.append(byte) }
  }

  /// Appends what a run of base64 of either alphabet stands for.
  static func decodeRun(_ run: UnsafeBufferPointer<UInt8>, into output: inout ByteBuffer) {
    guard let start = run.baseAddress else { return }
    let length = run.count % 4 == 1 ? run.count - 1 : run.count
    let count = length / 4 * 3 + max(0, length % 4 - 1)
    let strict = unsafe output.append(atMost: count) { target in
      guard let out = target.baseAddress else { return nil }
      return unsafe attest_base64_decode(start, length, out) == ATTEST_BASE64_NONE ? nil : count
    }
    if strict == nil {
      let reading = Base64.Reading(decodesPercents: false, takesSpaces: false)
      _ = unsafe Base64.decodeLoosely(run, reading, dropsLeftOver: true, into: &output)
    }
  }

  /// Appends a text with each escape of JSON, wherever it is, as the character that it stands for.
  static func decodeEscapes(_ text: UnsafeBufferPointer<UInt8>, into output: inout ByteBuffer) {
    var at = 0
    while at < text.count {
      let (character, length) = unsafe escape(text, at) ?? (text[at], 1)
      output.append(character)
      at += length
    }
  }

  /// Appends a text with each percent sign and its two hex digits as the byte that they stand for.
  static func decodePercents(_ text: UnsafeBufferPointer<UInt8>, into output: inout ByteBuffer) {
    var at = 0
    while at < text.count {
      let (character, length) = unsafe percent(text, at) ?? (text[at], 1)
      output.append(character)
      at += length
    }
  }

  /// Returns the length in a text of some characters with which it begins, each of them as it is or as an escape of
  /// JSON: within strings of JSON in strings of JSON, an escape begins with several backslashes.
  static func length(
    of known: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>
  ) -> Int? {
    var at = 0
    for index in known.indices {
      let character = unsafe known[index]
      guard at < text.count else { return nil }
      if unsafe text[at] == character {
        at += 1
        continue
      }
      while at + 2 < text.count, unsafe text[at] == UInt8(ascii: "\\"),
        unsafe text[at + 1] == UInt8(ascii: "\\")
      { at += 1 }
      if unsafe text[at] == UInt8(ascii: "\\"), let (found, length) = unsafe escape(text, at),
        found == character
      {
        at += length
      } else {
        return nil
      }
    }
    return at
  }

  /// Returns the character at a place, an escape or a percent sign decoded, and its length in the text. Within
  /// strings of JSON in strings of JSON, an escape begins with several backslashes.
  private static func character(_ text: UnsafeBufferPointer<UInt8>, _ at: Int) -> (UInt8, Int) {
    switch unsafe text[at] {
    case UInt8(ascii: "\\"):
      var last = at
      while last + 1 < text.count, unsafe text[last + 1] == UInt8(ascii: "\\") { last += 1 }
      guard let (character, length) = unsafe escape(text, last) else {
        return (UInt8(ascii: "\\"), 1)
      }
      return (character, last - at + length)
    case UInt8(ascii: "%"): return unsafe percent(text, at) ?? (UInt8(ascii: "%"), 1)
    default: return unsafe (text[at], 1)
    }
  }

  private static func percent(_ text: UnsafeBufferPointer<UInt8>, _ at: Int) -> (UInt8, Int)? {
    guard text.count - at > 2, unsafe text[at] == UInt8(ascii: "%") else { return nil }
    return unsafe PercentCode.byte(text[at + 1], text[at + 2]).map { ($0, 3) }
  }

  /// Returns the character that an escape stands for: a question mark for those outside ASCII.
  private static func escape(_ text: UnsafeBufferPointer<UInt8>, _ at: Int) -> (UInt8, Int)? {
    guard text.count - at > 1, unsafe text[at] == UInt8(ascii: "\\") else { return nil }
    switch unsafe text[at + 1] {
    case UInt8(ascii: "n"): return (0x0A, 2)
    case UInt8(ascii: "r"): return (0x0D, 2)
    case UInt8(ascii: "t"): return (0x09, 2)
    case UInt8(ascii: "b"), UInt8(ascii: "f"): return (UInt8(ascii: " "), 2)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return unsafe (text[at + 1], 2)
    case UInt8(ascii: "x") where text.count - at > 3:
      return unsafe PercentCode.byte(text[at + 2], text[at + 3]).map { ($0, 4) }
    case UInt8(ascii: "u") where text.count - at > 5:
      guard let high = unsafe PercentCode.byte(text[at + 2], text[at + 3]),
        let low = unsafe PercentCode.byte(text[at + 4], text[at + 5])
      else { return nil }
      return (high == 0 && low < 0x80 ? low : UInt8(ascii: "?"), 6)
    default: return nil
    }
  }
}
