/// The `time` of a record: RFC 3339 text, or a decimal number of seconds or milliseconds.
package enum LogTime {
  /// Milliseconds since 1970 of 0000-01-01T00:00:00Z and 9999-12-31T23:59:59.999Z: what RFC 3339
  /// can say.
  package static let range: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

  /// Days from 1970-01-01 to a date of the proleptic Gregorian calendar.
  package static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func daysInMonth(year: Int, month: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// The number that `digits` decimal digits at `at` say, or nil.
  private static func number(_ text: Span<UInt8>, at: Int, digits: Int) -> Int? {
    guard at + digits <= text.count else { return nil }
    var value = 0
    for index in at..<(at + digits) {
      let byte = text[index]
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return value
  }

  /// Milliseconds since 1970 of an RFC 3339 date-time (section 5.6) with its offset, cut to
  /// milliseconds; a leap second counts as the second after it. Nil where `text` is none.
  package static func parse(rfc3339 text: Span<UInt8>) -> Int64? {
    func number(_ at: Int, _ digits: Int) -> Int? {
      Self.number(text, at: at, digits: digits)
    }
    func holds(_ at: Int, _ character: Unicode.Scalar) -> Bool {
      at < text.count && text[at] == UInt8(ascii: character)
    }
    guard let year = number(0, 4), holds(4, "-"), let month = number(5, 2), holds(7, "-"),
      let day = number(8, 2), holds(10, "T") || holds(10, "t") || holds(10, " "),
      let hour = number(11, 2), holds(13, ":"), let minute = number(14, 2), holds(16, ":"),
      let second = number(17, 2),
      (1...12).contains(month), day >= 1, day <= daysInMonth(year: year, month: month),
      hour <= 23, minute <= 59, second <= 60
    else { return nil }
    var at = 19
    var milliseconds = 0
    if holds(at, ".") {
      at += 1
      let start = at
      var weight = 100
      while let digit = number(at, 1) {
        milliseconds += digit * weight
        weight /= 10
        at += 1
      }
      guard at > start else { return nil }
    }
    guard let offset = parseOffset(text, at: at) else { return nil }
    let days = days(year: Int64(year), month: Int64(month), day: Int64(day))
    let minutes = days * 1440 + Int64(hour * 60 + minute - offset)
    let time = (minutes * 60 + Int64(second)) * 1000 + Int64(milliseconds)
    return range.contains(time) ? time : nil
  }

  /// The offset at the end of a date-time, in minutes east of UTC.
  private static func parseOffset(_ text: Span<UInt8>, at: Int) -> Int? {
    if at + 1 == text.count, text[at] | 0x20 == UInt8(ascii: "z") { return 0 }
    guard at + 6 == text.count, text[at + 3] == UInt8(ascii: ":") else { return nil }
    guard let hours = number(text, at: at + 1, digits: 2), hours <= 23,
      let minutes = number(text, at: at + 4, digits: 2), minutes <= 59
    else { return nil }
    switch text[at] {
    case UInt8(ascii: "+"): return hours * 60 + minutes
    case UInt8(ascii: "-"): return -(hours * 60 + minutes)
    default: return nil
    }
  }

  /// Milliseconds since 1970 of a JSON number (RFC 8259, section 6): seconds where it is below
  /// 1e11, else milliseconds; cut to milliseconds, digit by digit, never through a binary
  /// fraction. Nil where it is out of range.
  package static func parse(number text: Span<UInt8>) -> Int64? {
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
    let wanted = point + (isSeconds ? 3 : 0)
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

  /// The exponent of a number, held to ± 10^12: no line has as many digits.
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
