internal import Basics

/// The `time` of a record: RFC 3339 text, or a decimal number of seconds or milliseconds.
package enum LogTime {
  /// Milliseconds since 1970 of 0000-01-01T00:00:00Z and 9999-12-31T23:59:59.999Z: what RFC 3339 can say.
  package static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

  /// Returns milliseconds since 1970 of an RFC 3339 date-time that such a text can also say in UTC.
  package static func parse(rfc3339 text: Span<UInt8>) -> Int64? {
    guard let time = RFC3339.milliseconds(text), range.contains(time) else { return nil }
    return time
  }

  /// Returns milliseconds since 1970, by local clocks, of an RFC 3339 date-time without offset, or nil.
  static func parse(local text: Span<UInt8>) -> Int64? {
    guard text.count >= 19 else { return nil }
    // The same grammar, with the zone that is missing.
    var whole = InlineArray<64, UInt8>(repeating: UInt8(ascii: "Z"))
    guard text.count < whole.count else { return nil }
    for index in text.indices { whole[index] = text[index] }
    return parse(rfc3339: whole.span.extracting(0...text.count))
  }

  /// Returns milliseconds since 1970 of a JSON number (RFC 8259, section 6), cut to milliseconds, never through a binary
  /// fraction, or nil if `text` is no such number, or is out of range.
  ///
  /// - Parameter unit: The unit, or nil for seconds below 1e11, and milliseconds from there on.
  package static func parse(number text: Span<UInt8>, in unit: TimeUnit? = nil) -> Int64? {
    if let time = parse(plain: text, in: unit) { return time }
    var at = 0
    guard unit != .rfc3339, let number = DecimalNumber(text, &at), at == text.count,
      let (value, isCut) = number.whole(times: power(number, unit))
    else { return nil }
    // Before 1970, too, the millisecond that has begun counts.
    let time = number.isNegative ? -value - (isCut ? 1 : 0) : value
    return range.contains(time) ? time : nil
  }

  private static func power(_ number: DecimalNumber, _ unit: TimeUnit?) -> Int {
    switch unit {
    case nil: number.isNegative || number.point <= 11 ? 3 : 0
    case .s: 3
    case .ms, .rfc3339: 0
    case .us: -3
    case .ns: -6
    }
  }

  /// Returns the same for the plain digits of nearly every log, and nil for other numbers.
  private static func parse(plain text: Span<UInt8>, in unit: TimeUnit?) -> Int64? {
    let (fraction, scale): (Int, Int64)
    switch unit {
    case nil: (fraction, scale) = (0, text.count <= 11 ? 1000 : 1)
    case .s: (fraction, scale) = (0, 1000)
    case .ms: (fraction, scale) = (0, 1)
    case .us: (fraction, scale) = (3, 1)
    case .ns: (fraction, scale) = (6, 1)
    case .rfc3339: return nil
    }
    let whole = text.count - fraction
    // So few digits are in the range in every unit.
    guard whole >= 1, whole <= (scale == 1000 ? 11 : 14), text[0] != UInt8(ascii: "0") else {
      return nil
    }
    var value: Int64 = 0
    for index in 0..<whole {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      value = value &* 10 &+ Int64(digit)
    }
    // What is cut off.
    for index in whole..<text.count where text[index] &- UInt8(ascii: "0") > 9 { return nil }
    return value &* scale
  }
}
