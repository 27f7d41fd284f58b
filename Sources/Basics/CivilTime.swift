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

  /// Makes the moment `milliseconds` after the beginning of 1970.
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

  // MARK: The calendar

  /// Returns the days from 1970-01-01 to a date; a month of 1 to 12 and a year of nine digits at most.
  package static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * daysPerEra + dayOfEra - epochShift
  }

  /// Returns the length of a month.
  package static func daysInMonth(year: Int, month: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  // MARK: Text

  /// The room that the text of any moment fits into.
  package typealias Room = InlineArray<32, UInt8>

  /// Writes ``text`` to the front of `room`, and returns its length. Years beyond four digits, or
  /// before 0, are written as they are, though RFC 3339 cannot say them.
  package func write(to room: inout Room) -> Int {
    var count = writeDate(to: &room)
    Self.put(UInt8(ascii: "T"), hour, 2, &room, &count)
    Self.put(UInt8(ascii: ":"), minute, 2, &room, &count)
    Self.put(UInt8(ascii: ":"), second, 2, &room, &count)
    Self.put(UInt8(ascii: "."), millisecond, 3, &room, &count)
    room[count] = UInt8(ascii: "Z")
    return count + 1
  }

  private func writeDate(to room: inout Room) -> Int {
    var count = 0
    if year < 0 {
      room[0] = UInt8(ascii: "-")
      count = 1
    }
    var width = 4
    var bound: UInt64 = 10_000
    while year.magnitude >= bound {
      bound *= 10
      width += 1
    }
    Self.put(year.magnitude, width, &room, &count)
    Self.put(UInt8(ascii: "-"), month, 2, &room, &count)
    Self.put(UInt8(ascii: "-"), day, 2, &room, &count)
    return count
  }

  @inline(__always)
  private static func put(
    _ separator: UInt8, _ number: UInt64, _ width: Int, _ room: inout Room, _ count: inout Int
  ) {
    room[count] = separator
    count += 1
    put(number, width, &room, &count)
  }

  @inline(__always)
  private static func put(_ number: UInt64, _ width: Int, _ room: inout Room, _ count: inout Int) {
    var rest = number
    var at = count + width
    while at > count {
      at -= 1
      room[at] = UInt8(truncatingIfNeeded: rest % 10) &+ UInt8(ascii: "0")
      rest /= 10
    }
    count += width
  }

  /// The moment as reports and sentences have it: `2026-03-01T12:00:00.000Z` (RFC 3339).
  package var text: String {
    var room = Room(repeating: 0)
    let count = write(to: &room)
    return Self.string(room, count)
  }

  /// The day alone: `2026-03-01`.
  package var dateText: String {
    var room = Room(repeating: 0)
    let count = writeDate(to: &room)
    return Self.string(room, count)
  }

  /// Returns `2026-03-01T12:00:00Z` of seconds since 1970, or the number if no calendar has it.
  package static func text(seconds: Int64) -> String {
    let (milliseconds, isTooFar) = seconds.multipliedReportingOverflow(by: 1000)
    guard !isTooFar else { return "second \(seconds)" }
    return CivilTime(milliseconds: milliseconds).text.dropLast(5) + "Z"
  }

  private static func string(_ room: Room, _ count: Int) -> String {
    String(decoding: (0..<count).map { room[$0] }, as: UTF8.self)
  }

  /// Returns milliseconds since 1970 of a time as ``text`` writes it; any other text gives nil.
  package static func milliseconds(_ text: String) -> Int64? {
    let utf8 = Array(text.utf8)
    if utf8.count == 24, utf8[10] == UInt8(ascii: "T"), utf8[17] < UInt8(ascii: "6"),
      utf8[19] == UInt8(ascii: "."), utf8[23] == UInt8(ascii: "Z")
    {
      return RFC3339.milliseconds(utf8.span)
    }
    // Another year than one of four digits. What is not checked here is not as ``text`` writes it.
    let numbers = text.split { "-T:.Z".contains($0) }.compactMap { Int64($0) }
    guard numbers.count == 7, (0...999_999_999).contains(numbers[0]),
      numbers[1...].allSatisfy({ (0...999).contains($0) })
    else { return nil }
    let year = text.hasPrefix("-") ? -numbers[0] : numbers[0]
    let days = days(year: year, month: numbers[1], day: numbers[2])
    let seconds = numbers[3] * 3600 + numbers[4] * 60 + numbers[5]
    // From the end of a day before 1970: the first moment of the first day is beyond 64 bits.
    let (edge, fromEnd) = days < 0 ? (days + 1, -millisecondsPerDay) : (days, 0)
    let (ofDays, isTooFar) = edge.multipliedReportingOverflow(by: millisecondsPerDay)
    let (sum, isBeyond) = ofDays.addingReportingOverflow(fromEnd + seconds * 1000 + numbers[6])
    guard !isTooFar, !isBeyond, CivilTime(milliseconds: sum).text == text else { return nil }
    return sum
  }
}
