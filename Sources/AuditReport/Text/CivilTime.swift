/// A moment in the proleptic Gregorian calendar, UTC; made from any 64-bit time without trapping.
package struct CivilTime: Sendable, Equatable {
  package let year: Int64
  package let month: UInt64
  package let day: UInt64
  package let hour: UInt64
  package let minute: UInt64
  package let second: UInt64
  package let millisecond: UInt64

  private static let millisecondsPerDay: Int64 = 86_400_000
  /// Days from 0000-03-01 to 1970-01-01.
  private static let epochShift: Int64 = 719_468
  /// Days of the 400 years after which the calendar repeats.
  private static let daysPerEra: Int64 = 146_097

  /// The moment `milliseconds` after the beginning of 1970.
  package init(milliseconds: Int64) {
    var days = milliseconds / Self.millisecondsPerDay
    var rest = milliseconds % Self.millisecondsPerDay
    if rest < 0 {
      rest += Self.millisecondsPerDay
      days -= 1
    }
    // Days to years that begin in March, so that the leap day comes last (Hinnant,
    // "chrono-Compatible Low-Level Date Algorithms"). |days| is below 2^37: nothing overflows.
    let shifted = days + Self.epochShift
    let era = (shifted >= 0 ? shifted : shifted - (Self.daysPerEra - 1)) / Self.daysPerEra
    let dayOfEra = shifted - era * Self.daysPerEra
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    day = UInt64(dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    month = UInt64(marchMonth < 10 ? marchMonth + 3 : marchMonth - 9)
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    hour = UInt64(rest / 3_600_000)
    minute = UInt64(rest / 60_000 % 60)
    second = UInt64(rest / 1000 % 60)
    millisecond = UInt64(rest % 1000)
  }

  /// `2026-03-01T12:00:00.000Z` (RFC 3339). A year beyond four digits is written with as many as it
  /// has, one before the year 0 with a minus: not RFC 3339, which cannot say them, but true.
  func write(to buffer: inout RowBuffer) {
    writeDate(to: &buffer)
    buffer.append(UInt8(ascii: "T"))
    buffer.append(decimal: hour, width: 2)
    buffer.append(UInt8(ascii: ":"))
    buffer.append(decimal: minute, width: 2)
    buffer.append(UInt8(ascii: ":"))
    buffer.append(decimal: second, width: 2)
    buffer.append(UInt8(ascii: "."))
    buffer.append(decimal: millisecond, width: 3)
    buffer.append(UInt8(ascii: "Z"))
  }

  private func writeDate(to buffer: inout RowBuffer) {
    if year < 0 { buffer.append(UInt8(ascii: "-")) }
    buffer.append(decimal: year.magnitude, width: 4)
    buffer.append(UInt8(ascii: "-"))
    buffer.append(decimal: month, width: 2)
    buffer.append(UInt8(ascii: "-"))
    buffer.append(decimal: day, width: 2)
  }

  /// The moment as reports write it.
  package var text: String {
    var buffer = RowBuffer()
    write(to: &buffer)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }

  /// The day alone: `2026-03-01`.
  package var dateText: String {
    var buffer = RowBuffer()
    writeDate(to: &buffer)
    return String(decoding: buffer.bytes, as: UTF8.self)
  }
}
