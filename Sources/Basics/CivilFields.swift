/// The fields of a date and time as a clock shows them, read from some text.
package struct CivilFields: Sendable {
  package var year = 0
  package var month = 0
  package var day = 0
  package var hour = 0
  package var minute = 0
  /// The second. 60 is a leap second, which counts as the second after it.
  package var second = 0
  package var milliseconds = 0

  package init() {}

  /// Milliseconds since 1970, or nil for a day or time that does not exist.
  package var time: Int64? {
    guard month >= 1, month <= 12, day >= 1,
      day <= 28 || day <= CivilTime.daysInMonth(year: year, month: month),
      hour <= 23, minute <= 59, second <= 60
    else { return nil }
    let days = CivilTime.days(year: Int64(year), month: Int64(month), day: Int64(day))
    let minutes = days * 1440 + Int64(hour * 60 + minute)
    return (minutes * 60 + Int64(second)) * 1000 + Int64(milliseconds)
  }
}
