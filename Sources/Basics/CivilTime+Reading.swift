extension CivilTime {
  /// Returns milliseconds since 1970 of a time as ``text`` writes it; any other text gives nil.
  package static func milliseconds(_ text: String) -> Int64? {
    // What these do not check is not as ``text`` writes the time.
    let numbers = text.split { "-T:.Z".contains($0) }.compactMap { Int64($0) }
    guard numbers.count == 7, (0...999_999_999).contains(numbers[0]),
      numbers[1...].allSatisfy({ (0...999).contains($0) })
    else { return nil }
    let year = text.hasPrefix("-") ? -numbers[0] : numbers[0]
    let days = days(year: year, month: numbers[1], day: numbers[2])
    let seconds = numbers[3] * 3600 + numbers[4] * 60 + numbers[5]
    // From the end of the day where that is nearer to 1970: the first moment of the first day is beyond
    // 64 bits.
    let (edge, fromEnd) = days < 0 ? (days + 1, -millisecondsPerDay) : (days, 0)
    let (ofDays, isTooFar) = edge.multipliedReportingOverflow(by: millisecondsPerDay)
    let (sum, isBeyond) = ofDays.addingReportingOverflow(fromEnd + seconds * 1000 + numbers[6])
    guard !isTooFar, !isBeyond, CivilTime(milliseconds: sum).text == text else { return nil }
    return sum
  }
}
