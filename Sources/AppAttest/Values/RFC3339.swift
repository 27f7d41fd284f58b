/// Times in text as RFC 3339 has them.
package enum RFC3339 {
  /// Milliseconds since 1970, further digits cut; nil where the text is no RFC 3339 time with an
  /// offset. Any number of fraction digits is taken, and a leap second counts as the next one.
  package static func milliseconds(_ text: Span<UInt8>) -> Int64? {
    guard text.count >= 20, text[4] == 0x2D, text[7] == 0x2D, text[13] == 0x3A, text[16] == 0x3A,
      text[10] | 0x20 == 0x74 || text[10] == 0x20,
      let year = number(text, 0, 4), let month = number(text, 5, 2), let day = number(text, 8, 2),
      let hour = number(text, 11, 2), let minute = number(text, 14, 2),
      let second = number(text, 17, 2), (1...12).contains(month), day >= 1,
      day <= days(inMonth: month, year: year), hour < 24, minute < 60, second <= 60
    else { return nil }
    var offset = 19
    var fraction: Int64 = 0
    if text[offset] == 0x2E {
      offset += 1
      let start = offset
      while offset < text.count, let digit = number(text, offset, 1) {
        if offset - start < 3 { fraction = fraction * 10 + digit }
        offset += 1
      }
      guard offset > start else { return nil }
      for _ in 0..<max(0, 3 - (offset - start)) { fraction *= 10 }
    }
    guard let zone = zoneSeconds(text, offset) else { return nil }
    let seconds = daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
    return (seconds - zone) * 1000 + fraction
  }

  /// Seconds since 1970 of a UTCTime YYMMDDHHMMSSZ, the years 1950 to 2049 (RFC 5280, 4.1.2.5.1);
  /// nil where the text is none.
  static func seconds(utcTime text: Span<UInt8>) -> Int64? {
    guard text.count == 13, text[12] == 0x5A, let short = number(text, 0, 2),
      let month = number(text, 2, 2), let day = number(text, 4, 2), let hour = number(text, 6, 2),
      let minute = number(text, 8, 2), let second = number(text, 10, 2)
    else { return nil }
    let year = short < 50 ? 2000 + short : 1900 + short
    guard (1...12).contains(month), day >= 1, day <= days(inMonth: month, year: year), hour < 24,
      minute < 60, second < 60
    else { return nil }
    return daysSince1970(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
  }

  private static func zoneSeconds(_ text: Span<UInt8>, _ offset: Int) -> Int64? {
    guard offset < text.count else { return nil }
    if text[offset] | 0x20 == 0x7A { return offset + 1 == text.count ? 0 : nil }
    guard text[offset] == 0x2B || text[offset] == 0x2D, text.count == offset + 6,
      text[offset + 3] == 0x3A, let hours = number(text, offset + 1, 2),
      let minutes = number(text, offset + 4, 2), hours < 24, minutes < 60
    else { return nil }
    let seconds = hours * 3600 + minutes * 60
    return text[offset] == 0x2D ? -seconds : seconds
  }

  private static func number(_ text: Span<UInt8>, _ start: Int, _ count: Int) -> Int64? {
    guard start + count <= text.count else { return nil }
    var value: Int64 = 0
    for index in start..<(start + count) {
      guard (0x30...0x39).contains(text[index]) else { return nil }
      value = value * 10 + Int64(text[index] - 0x30)
    }
    return value
  }

  private static func days(inMonth month: Int64, year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days of the proleptic Gregorian calendar, counted in years that begin with March.
  private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
