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
}
