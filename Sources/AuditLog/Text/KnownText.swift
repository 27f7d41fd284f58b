internal import CSimdjson

/// A text that is looked for in another one, which is written as it is or with escapes of JSON.
enum KnownText {
  /// How often the escapes of a text are decoded, whoever reads it: those in a line's strings once, those in a text that was
  /// decoded if it has quotes around them, and those that are left after escapes were decoded never.
  enum Escapes: CInt {
    case areLeft = -1
    case areQuoted, areDecoded
  }

  /// Returns the length of a known text at a place of another one, if it ends there for certain.
  static func length(
    of known: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>, at place: Int = 0,
    _ escapes: Escapes
  ) -> Int? {
    guard let first = known.baseAddress, let begin = text.baseAddress else { return nil }
    let length = unsafe attest_known_length(
      begin, begin + place, begin + text.count, first, known.count, escapes.rawValue)
    return length > 0 ? length : nil
  }
}
