/// The civil calendar in UTC, for RFC 3339 texts and ASN.1 times, from times in milliseconds since
/// 1970.
package enum CalendarTime {
  /// Year, month, day of a number of days since 1970 (proleptic Gregorian).
  package static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = day + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }

  /// `digits` fraction digits, those beyond the third taken from `tail`; `offset` in minutes.
  package static func rfc3339(
    _ time: Int64, digits: Int = 3, tail: UInt64 = 0, offset: Int64 = 0, lowerCase: Bool = false
  ) -> String {
    let local = time + offset * 60_000
    let fields = clock(local)
    var text =
      "\(padded(fields.year, 4))-\(padded(fields.month, 2))-\(padded(fields.day, 2))"
      + (lowerCase ? "t" : "T")
      + "\(padded(fields.hour, 2)):\(padded(fields.minute, 2)):\(padded(fields.second, 2))"
    if digits > 0 {
      let fraction = padded(fields.millisecond, 3) + padded(Int64(tail % 1_000_000), 6)
      text += "." + fraction.prefix(digits)
    }
    if offset == 0 { return text + (lowerCase ? "z" : "Z") }
    let minutes = abs(offset)
    return text + (offset < 0 ? "-" : "+") + padded(minutes / 60, 2) + ":"
      + padded(minutes % 60, 2)
  }

  /// A DER time of whole seconds: UTCTime up to 2049, GeneralizedTime after (RFC 5280, 4.1.2.5).
  package static func der(seconds: Int64) -> [UInt8] {
    let fields = clock(seconds * 1000)
    let rest =
      padded(fields.month, 2) + padded(fields.day, 2) + padded(fields.hour, 2)
      + padded(fields.minute, 2) + padded(fields.second, 2) + "Z"
    if (1950..<2050).contains(fields.year) {
      return DERWriter.value(0x17, Array((padded(fields.year % 100, 2) + rest).utf8))
    }
    return DERWriter.value(0x18, Array((padded(fields.year, 4) + rest).utf8))
  }

  private static func clock(_ time: Int64) -> (
    year: Int64, month: Int64, day: Int64, hour: Int64, minute: Int64, second: Int64,
    millisecond: Int64
  ) {
    let days = time >= 0 ? time / 86_400_000 : (time - 86_399_999) / 86_400_000
    let rest = time - days * 86_400_000
    let date = date(ofDay: days)
    return (
      date.year, date.month, date.day, rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60,
      rest % 1000
    )
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }
}
