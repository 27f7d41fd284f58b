internal import Basics

/// The day that `${date}` stands for.
package enum AuditDay {
  /// Returns whether `text` is a day of the Gregorian calendar, as in `2026-03-01`.
  package static func isValid(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2] else { return false }
    let numbers = parts.compactMap { Decimal.number($0).map { Int($0) } }
    guard numbers.count == 3, (1...12).contains(numbers[1]) else { return false }
    return (1...CivilTime.daysInMonth(year: numbers[0], month: numbers[1])).contains(numbers[2])
  }

  /// Returns the day after a valid day, or the same text if it is none.
  static func following(_ day: String) -> String {
    let text = Array("\(day)T00:00:00Z".utf8)
    guard let start = RFC3339.milliseconds(text.span) else { return day }
    return CivilTime(milliseconds: start + 86_400_000).dateText
  }
}
