extension CivilTime {
  /// Returns milliseconds since 1970 of a time as ``text`` writes it; any other text gives nil.
  package static func milliseconds(_ text: String) -> Int64? {
    var rest = Substring(text).utf8
    var sign: Int64 = 1
    if rest.first == UInt8(ascii: "-") {
      sign = -1
      rest = rest.dropFirst()
    }
    func take(_ digits: Int) -> Int64? {
      var value: Int64 = 0
      for byte in rest.prefix(digits) {
        guard (0x30...0x39).contains(byte) else { return nil }
        value = value * 10 + Int64(byte - 0x30)
      }
      guard rest.count >= digits else { return nil }
      rest = rest.dropFirst(digits)
      return value
    }
    // The year has as many digits as it needs: at most nine within 64 bits of milliseconds.
    let yearDigits = rest.prefix { (0x30...0x39).contains($0) }.count
    var numbers: [Int64] = []
    guard (4...9).contains(yearDigits), let year = take(yearDigits) else { return nil }
    for (separator, digits) in [("-", 2), ("-", 2), ("T", 2), (":", 2), (":", 2), (".", 3)] {
      guard rest.first == separator.utf8.first else { return nil }
      rest = rest.dropFirst()
      guard let number = take(digits) else { return nil }
      numbers.append(number)
    }
    guard rest.elementsEqual("Z".utf8) else { return nil }
    let days = days(year: sign * year, month: numbers[0], day: numbers[1])
    let seconds = numbers[2] * 3600 + numbers[3] * 60 + numbers[4]
    // From the end of the day where that is nearer to 1970: the first moment of the first day is beyond
    // 64 bits.
    let (edge, fromEnd) = days < 0 ? (days + 1, -millisecondsPerDay) : (days, 0)
    let (ofDays, isTooFar) = edge.multipliedReportingOverflow(by: millisecondsPerDay)
    let (sum, isBeyond) = ofDays.addingReportingOverflow(fromEnd + seconds * 1000 + numbers[5])
    guard !isTooFar, !isBeyond, CivilTime(milliseconds: sum).text == text else { return nil }
    return sum
  }
}
