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

  /// The number that two decimal digits at `at` say; sets the top bit of `bad` where they are none.
  @inline(__always)
  private static func pair(
    _ text: UnsafePointer<UInt8>, _ at: Int, _ bad: inout UInt32
  ) -> Int {
    let tens = unsafe UInt32(text[at] &- UInt8(ascii: "0"))
    let ones = unsafe UInt32(text[at + 1] &- UInt8(ascii: "0"))
    bad |= (9 &- tens) | (9 &- ones)
    return Int(truncatingIfNeeded: tens &* 10 &+ ones)
  }

  /// The length of the shortest date-time: to the second, in UTC.
  private static let shortestText = 20

  /// Milliseconds since 1970 of an RFC 3339 date-time (section 5.6) with its offset, cut to
  /// milliseconds; a leap second counts as the second after it. Nil where `text` is none.
  package static func parse(rfc3339 text: Span<UInt8>) -> Int64? {
    guard text.count >= shortestText else { return nil }
    return unsafe text.withUnsafeBufferPointer { text in
      guard let start = text.baseAddress else { return nil }
      return unsafe parse(rfc3339: start, count: text.count)
    }
  }

  private static func parse(rfc3339 text: UnsafePointer<UInt8>, count: Int) -> Int64? {
    var bad: UInt32 = 0
    let year = unsafe pair(text, 0, &bad) * 100 + pair(text, 2, &bad)
    let month = unsafe pair(text, 5, &bad)
    let day = unsafe pair(text, 8, &bad)
    let hour = unsafe pair(text, 11, &bad)
    let minute = unsafe pair(text, 14, &bad)
    let second = unsafe pair(text, 17, &bad)
    let between = unsafe text[10]
    guard bad >> 31 == 0,
      unsafe text[4] == UInt8(ascii: "-"), unsafe text[7] == UInt8(ascii: "-"),
      between | 0x20 == UInt8(ascii: "t") || between == UInt8(ascii: " "),
      unsafe text[13] == UInt8(ascii: ":"), unsafe text[16] == UInt8(ascii: ":"),
      month >= 1, month <= 12, day >= 1,
      day <= 28 || day <= daysInMonth(year: year, month: month),
      hour <= 23, minute <= 59, second <= 60
    else { return nil }
    var at = 19
    var milliseconds = 0
    if unsafe text[at] == UInt8(ascii: ".") {
      at += 1
      let start = at
      var weight = 100
      while at < count {
        let digit = unsafe text[at] &- UInt8(ascii: "0")
        guard digit <= 9 else { break }
        milliseconds += Int(digit) * weight
        weight /= 10
        at += 1
      }
      guard at > start else { return nil }
    }
    guard let offset = unsafe parseOffset(text + at, count: count - at) else { return nil }
    let days = days(year: Int64(year), month: Int64(month), day: Int64(day))
    let minutes = days * 1440 + Int64(hour * 60 + minute - offset)
    let time = (minutes * 60 + Int64(second)) * 1000 + Int64(milliseconds)
    return range.contains(time) ? time : nil
  }

  /// The fields of a date and time.
  struct Parts {
    var year = 0
    var month = 0
    var day = 0
    var hour = 0
    var minute = 0
    /// 60: a leap second, which counts as the second after it.
    var second = 0
    var milliseconds = 0

    /// Milliseconds since 1970 by the clock that shows them; nil for a day or time that there is not.
    var time: Int64? {
      guard month >= 1, month <= 12, day >= 1, day <= daysInMonth(year: year, month: month),
        hour <= 23, minute <= 59, second <= 60
      else { return nil }
      let days = days(year: Int64(year), month: Int64(month), day: Int64(day))
      let minutes = days * 1440 + Int64(hour * 60 + minute)
      return (minutes * 60 + Int64(second)) * 1000 + Int64(milliseconds)
    }
  }

  /// The milliseconds that the digits at `at` are behind a point; `at` is moved behind them.
  static func fraction(_ text: Span<UInt8>, _ at: inout Int) -> Int {
    var milliseconds = 0
    var weight = 100
    while at < text.count {
      let digit = text[at] &- UInt8(ascii: "0")
      guard digit <= 9 else { break }
      milliseconds += Int(digit) * weight
      weight /= 10
      at += 1
    }
    return milliseconds
  }

  /// Milliseconds since 1970, by whatever clock, of a date-time as RFC 3339 has it but without an
  /// offset; nil where `text` is none.
  static func parse(local text: Span<UInt8>) -> Int64? {
    guard text.count >= 19 else { return nil }
    // The same grammar, with the zone that is missing.
    var whole = InlineArray<64, UInt8>(repeating: UInt8(ascii: "Z"))
    guard text.count < whole.count else { return nil }
    for index in text.indices { whole[index] = text[index] }
    return parse(rfc3339: whole.span.extracting(0...text.count))
  }

  /// The offset that the `count` characters at the end of a date-time say, in minutes east of UTC.
  private static func parseOffset(_ text: UnsafePointer<UInt8>, count: Int) -> Int? {
    if count == 1 { return unsafe text[0] | 0x20 == UInt8(ascii: "z") ? 0 : nil }
    guard count == 6, unsafe text[3] == UInt8(ascii: ":") else { return nil }
    var bad: UInt32 = 0
    let hours = unsafe pair(text, 1, &bad)
    let minutes = unsafe pair(text, 4, &bad)
    guard bad >> 31 == 0, hours <= 23, minutes <= 59 else { return nil }
    switch unsafe text[0] {
    case UInt8(ascii: "+"): return hours * 60 + minutes
    case UInt8(ascii: "-"): return -(hours * 60 + minutes)
    default: return nil
    }
  }

  /// Milliseconds since 1970 of a JSON number (RFC 8259, section 6): seconds where it is below
  /// 1e11, else milliseconds; cut to milliseconds, digit by digit, never through a binary
  /// fraction. Nil where it is out of range.
  package static func parse(number text: Span<UInt8>) -> Int64? {
    parse(plain: text) ?? parse(anyNumber: text)
  }

  /// The same for what stands in nearly every log: up to 15 digits and nothing else. Nil for all
  /// other numbers, and for those out of range.
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

  /// Milliseconds since 1970 of a number in a unit that is told, as a JSON number or as the same in a
  /// string; cut to milliseconds. Nil where `text` is none, or is out of range.
  package static func parse(_ text: Span<UInt8>, in unit: TimeUnit) -> Int64? {
    guard isNumber(text) else { return nil }
    switch unit {
    case .s: return parse(anyNumber: text, shift: 3)
    case .ms: return parse(anyNumber: text, shift: 0)
    case .us: return parse(anyNumber: text, shift: -3)
    case .ns: return parse(anyNumber: text, shift: -6)
    case .rfc3339: return nil
    }
  }

  /// Whether `text` is a number by the grammar of RFC 8259, section 6.
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

  /// The same for every number; `shift` is the power of ten that makes milliseconds of it, nil where
  /// its size tells.
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
