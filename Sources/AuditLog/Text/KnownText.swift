internal import CSimdjson

/// A text that is looked for in another one, which is written as it is or with escapes of JSON.
enum KnownText {
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
      guard unsafe text[at] == UInt8(ascii: "\\") else { return nil }
      let last = unsafe endOfBackslashes(text, at) - 1
      var found: UInt8 = 0
      let length = unsafe text.baseAddress.map {
        unsafe attest_read_escape($0 + last, $0 + text.count, &found)
      }
      guard let length, length > 0, found == character else { return nil }
      at = last + length
    }
    return at
  }

  /// Returns whether a known text that is followed by something ends there for certain: what is there is neither a
  /// character of a token, nor one that has to be decoded.
  static func ends(_ text: UnsafeBufferPointer<UInt8>, at place: Int) -> Bool {
    guard place < text.count else { return true }
    switch unsafe text[place] {
    case UInt8(ascii: "%"): return false
    case UInt8(ascii: "\\"):
      let last = unsafe endOfBackslashes(text, place)
      return unsafe last == text.count || "\"nrt".utf8.contains(text[last])
    case let byte: return Base64.value(byte) == nil
    }
  }

  private static func endOfBackslashes(_ text: UnsafeBufferPointer<UInt8>, _ at: Int) -> Int {
    var at = at
    while at < text.count, unsafe text[at] == UInt8(ascii: "\\") { at += 1 }
    return at
  }
}
