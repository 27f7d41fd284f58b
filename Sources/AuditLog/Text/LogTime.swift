internal import Basics

/// The `time` of a record: RFC 3339 text, or a decimal number of seconds or milliseconds.
package enum LogTime {
  /// Milliseconds since 1970 of 0000-01-01T00:00:00Z and 9999-12-31T23:59:59.999Z: what RFC 3339
  /// can say.
  package static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

  /// Returns milliseconds since 1970 of an RFC 3339 date-time that such a text can also say in UTC.
  package static func parse(rfc3339 text: Span<UInt8>) -> Int64? {
    guard let time = RFC3339.milliseconds(text), range.contains(time) else { return nil }
    return time
  }

  /// Returns milliseconds since 1970, by whatever clock, of a date-time as RFC 3339 has it but without
  /// an offset; any other text gives nil.
  static func parse(local text: Span<UInt8>) -> Int64? {
    guard text.count >= 19 else { return nil }
    // The same grammar, with the zone that is missing.
    var whole = InlineArray<64, UInt8>(repeating: UInt8(ascii: "Z"))
    guard text.count < whole.count else { return nil }
    for index in text.indices { whole[index] = text[index] }
    return parse(rfc3339: whole.span.extracting(0...text.count))
  }

  /// Returns milliseconds since 1970 of a JSON number (RFC 8259, section 6): seconds where it is
  /// below 1e11, else milliseconds, cut to milliseconds, digit by digit, never through a binary
  /// fraction. Returns nil if it is out of range.
  package static func parse(number text: Span<UInt8>) -> Int64? {
    parse(plain: text) ?? parse(anyNumber: text)
  }

  /// Returns the same for what stands in nearly every log: up to 15 digits and nothing else. Nil
  /// for all other numbers, and for those out of range.
  private static func parse(plain text: Span<UInt8>) -> Int64? {
    guard text.count >= 1, text.count <= 15, text[0] != UInt8(ascii: "0") else { return nil }
    var value: Int64 = 0
    for index in text.indices {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      value = value &* 10 &+ Int64(digit)
    }
    // A number below 1e11 has 11 digits at most.
    let time = text.count <= 11 ? value * 1000 : value
    return time <= range.upperBound ? time : nil
  }

  /// Returns milliseconds since 1970 of what stands in nearly every log: digits and nothing else, as
  /// many as the unit needs for a time of the last decades. Nil for all other numbers.
  private static func parse(plain text: Span<UInt8>, in unit: TimeUnit) -> Int64? {
    let (fraction, scale): (Int, Int64)
    switch unit {
    case .s: (fraction, scale) = (0, 1000)
    case .ms: (fraction, scale) = (0, 1)
    case .us: (fraction, scale) = (3, 1)
    case .ns: (fraction, scale) = (6, 1)
    case .rfc3339: return nil
    }
    let whole = text.count - fraction
    // So few digits are in the range in every unit.
    guard whole >= 1, whole <= (unit == .s ? 11 : 14), text[0] != UInt8(ascii: "0") else {
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

  /// Returns milliseconds since 1970 for a number in a unit that is told, as a JSON number or as
  /// the same in a string, cut to milliseconds. Returns nil if `text` is no such number, or is out
  /// of range.
  package static func parse(_ text: Span<UInt8>, in unit: TimeUnit) -> Int64? {
    if let time = parse(plain: text, in: unit) { return time }
    guard isNumber(text) else { return nil }
    switch unit {
    case .s: return parse(anyNumber: text, shift: 3)
    case .ms: return parse(anyNumber: text, shift: 0)
    case .us: return parse(anyNumber: text, shift: -3)
    case .ns: return parse(anyNumber: text, shift: -6)
    case .rfc3339: return nil
    }
  }

  /// Returns whether `text` is a number by the grammar of RFC 8259, section 6.
  private static func isNumber(_ text: Span<UInt8>) -> Bool {
    var at = 0
    if at < text.count, text[at] == UInt8(ascii: "-") { at += 1 }
    let first = at
    let whole = passDigits(text, &at)
    guard whole == 1 || (whole > 1 && text[first] != UInt8(ascii: "0")) else { return false }
    if at < text.count, text[at] == UInt8(ascii: ".") {
      at += 1
      guard passDigits(text, &at) > 0 else { return false }
    }
    if at < text.count, text[at] | 0x20 == UInt8(ascii: "e") {
      at += 1
      if at < text.count, text[at] == UInt8(ascii: "+") || text[at] == UInt8(ascii: "-") {
        at += 1
      }
      guard passDigits(text, &at) > 0 else { return false }
    }
    return at == text.count
  }

  /// Moves `at` behind the decimal digits there and tells how many.
  private static func passDigits(_ text: Span<UInt8>, _ at: inout Int) -> Int {
    let start = at
    while at < text.count, text[at] &- UInt8(ascii: "0") <= 9 { at += 1 }
    return at - start
  }

  /// Returns the same for every number. `shift` is the power of ten that makes milliseconds of it,
  /// or nil if its size tells the unit.
  static func parse(anyNumber text: Span<UInt8>, shift: Int? = nil) -> Int64? {
    var significant: Int64 = 0
    var significantDigits = 0
    var integerDigits = 0
    var exponent = 0
    var isNegative = false
    var at = 0
    var isBehindPoint = false
    var isCut = false
    scan: while at < text.count {
      let byte = text[at]
      switch byte {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "."): isBehindPoint = true
      case UInt8(ascii: "e"), UInt8(ascii: "E"):
        exponent = parseExponent(text, from: at + 1)
        break scan
      default:
        let digit = byte &- UInt8(ascii: "0")
        if significantDigits == 0, digit == 0 {
          if isBehindPoint { integerDigits -= 1 }
        } else {
          // Digits beyond these lie behind the millisecond in every range that is taken.
          if significantDigits < 18 {
            significant = significant * 10 + Int64(digit)
            significantDigits += 1
          } else if digit != 0 {
            isCut = true
          }
          if !isBehindPoint { integerDigits += 1 }
        }
      }
      at += 1
    }
    guard significantDigits > 0 else { return 0 }
    // The value is 0.d₁d₂d₃… × 10^point.
    let point = integerDigits + exponent
    let isSeconds = isNegative || point <= 11
    let wanted = point + (shift ?? (isSeconds ? 3 : 0))
    guard wanted > 0 else { return isNegative ? -1 : 0 }
    guard wanted <= 18 else { return nil }
    var value = significant
    for _ in 0..<abs(wanted - significantDigits) {
      if wanted > significantDigits {
        value *= 10
      } else {
        if value % 10 != 0 { isCut = true }
        value /= 10
      }
    }
    // Before 1970, too, what is cut off lies behind the millisecond.
    let time = isNegative ? -value - (isCut ? 1 : 0) : value
    return range.contains(time) ? time : nil
  }

  /// Returns the exponent of a number, held to ± 10^12: no line has as many digits.
  private static func parseExponent(_ text: Span<UInt8>, from start: Int) -> Int {
    var value = 0
    var isNegative = false
    for at in start..<text.count {
      switch text[at] {
      case UInt8(ascii: "-"): isNegative = true
      case UInt8(ascii: "+"): break
      default: value = min(value * 10 + Int(text[at] &- UInt8(ascii: "0")), 1_000_000_000_000)
      }
    }
    return isNegative ? -value : value
  }
}
