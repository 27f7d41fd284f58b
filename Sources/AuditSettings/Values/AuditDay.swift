/// The day that `${date}` stands for.
package enum AuditDay {
  private static let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

  /// Returns true where `text` is a day of the Gregorian calendar, as in `2026-03-01`.
  package static func isValid(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2] else { return false }
    let numbers = parts.compactMap { Decimal.number($0).map { Int($0) } }
    guard numbers.count == 3, (1...12).contains(numbers[1]) else { return false }
    let year = numbers[0]
    let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    let length = numbers[1] == 2 && isLeap ? 29 : lengths[numbers[1] - 1]
    return (1...length).contains(numbers[2])
  }
}
