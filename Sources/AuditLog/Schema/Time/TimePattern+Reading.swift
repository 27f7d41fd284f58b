internal import Basics

extension TimePattern {
  private static let months: [StaticString] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Returns milliseconds since 1970 by local clocks, and minutes ahead of UTC if the text has a zone.
  func read(_ text: Span<UInt8>) -> (local: Int64, offset: Int?)? {
    var at = 0
    var parts = CivilFields()
    var offset: Int?
    for step in steps {
      switch step {
      case .byte(let byte):
        guard at < text.count, text[at] == byte || Self.narrowSpace(byte, text, &at) else {
          return nil
        }
        at += 1
      case .weekday: guard Self.letters(text, &at) >= 3 else { return nil }
      case .half:
        guard let hours = Self.half(text, &at) else { return nil }
        parts.hour += hours
      case .rest: at = text.count
      case .fraction: parts.milliseconds = Self.fraction(text, &at)
      case .zone:
        guard let minutes = Self.zone(text, &at) else { return nil }
        offset = minutes
      case .halfHour:
        guard let hour = Self.plain(text, &at), (1...12).contains(hour) else { return nil }
        parts.hour += hour % 12
      case .monthName, .year, .month, .day, .hour, .minute, .second:
        guard let number = Self.number(step, text, &at) else { return nil }
        switch step {
        case .year: parts.year = number
        case .month, .monthName: parts.month = number
        case .day: parts.day = number
        case .hour: parts.hour = number
        case .minute: parts.minute = number
        default: parts.second = number
        }
      }
    }
    guard at == text.count, let local = parts.time else { return nil }
    return (local, offset)
  }

  /// Passes to the last byte of U+202F, which JavaScript writes before `AM`, in place of a space.
  private static func narrowSpace(_ byte: UInt8, _ text: Span<UInt8>, _ at: inout Int) -> Bool {
    guard byte == UInt8(ascii: " "), text.count - at > 2, text[at] == 0xE2, text[at + 1] == 0x80,
      text[at + 2] == 0xAF
    else { return false }
    at += 2
    return true
  }

  private static func number(_ step: Step, _ text: Span<UInt8>, _ at: inout Int) -> Int? {
    switch step {
    case .monthName: month(text, &at)
    case .month, .day, .hour: plain(text, &at)
    default: number(text, &at, step == .year ? 4 : 2)
    }
  }

  private static func number(_ text: Span<UInt8>, _ at: inout Int, _ width: Int) -> Int? {
    guard text.count - at >= width else { return nil }
    var value = 0
    for _ in 0..<width {
      let digit = text[at] &- UInt8(ascii: "0")
      guard digit <= 9 else { return nil }
      value = value * 10 + Int(digit)
      at += 1
    }
    return value
  }

  /// Returns the number of one or two digits, a space in front of one.
  private static func plain(_ text: Span<UInt8>, _ at: inout Int) -> Int? {
    let isPadded = at < text.count && text[at] == UInt8(ascii: " ")
    if isPadded { at += 1 }
    let hasTwo = !isPadded && at + 1 < text.count && text[at + 1] &- UInt8(ascii: "0") <= 9
    return number(text, &at, hasTwo ? 2 : 1)
  }

  /// Returns the hours of the day before `AM` or `PM`.
  private static func half(_ text: Span<UInt8>, _ at: inout Int) -> Int? {
    let start = at
    guard letters(text, &at) == 2, text[start + 1] | 0x20 == UInt8(ascii: "m") else { return nil }
    switch text[start] | 0x20 {
    case UInt8(ascii: "a"): return 0
    case UInt8(ascii: "p"): return 12
    default: return nil
    }
  }

  private static func letters(_ text: Span<UInt8>, _ at: inout Int) -> Int {
    let start = at
    while at < text.count, (text[at] | 0x20) &- UInt8(ascii: "a") < 26 { at += 1 }
    return at - start
  }

  private static func month(_ text: Span<UInt8>, _ at: inout Int) -> Int? {
    let start = at
    guard letters(text, &at) >= 3 else { return nil }
    return months.firstIndex { name in
      (0..<3).allSatisfy { unsafe text[start + $0] | 0x20 == name.utf8Start[$0] }
    }.map { $0 + 1 }
  }

  private static func fraction(_ text: Span<UInt8>, _ at: inout Int) -> Int {
    guard at + 1 < text.count, text[at] == UInt8(ascii: ".") || text[at] == UInt8(ascii: ","),
      text[at + 1] &- UInt8(ascii: "0") <= 9
    else { return 0 }
    at += 1
    return RFC3339.fraction(text, &at)
  }

  private static func zone(_ text: Span<UInt8>, _ at: inout Int) -> Int? {
    let start = at
    if at < text.count, text[at] == UInt8(ascii: "+") || text[at] == UInt8(ascii: "-") {
      at += 1
      while at < text.count, at - start < 6,
        text[at] &- UInt8(ascii: "0") <= 9 || text[at] == UInt8(ascii: ":")
      {
        at += 1
      }
    } else {
      _ = letters(text, &at)
    }
    return offset(of: text.extracting(start..<at))
  }

  /// Returns the minutes east of UTC of `Z`, `UTC`, `GMT`, `+0100`, `+01:00` or `+01`, or nil.
  static func offset(of text: Span<UInt8>) -> Int? {
    switch text.count {
    case 1: return text[0] | 0x20 == UInt8(ascii: "z") ? 0 : nil
    case 3 where isUTC(text): return 0
    case 3, 5: break
    case 6 where text[3] == UInt8(ascii: ":"): break
    default: return nil
    }
    var at = 1
    guard let hours = number(text, &at, 2) else { return nil }
    if text.count == 6 { at += 1 }
    guard let minutes = text.count > 3 ? number(text, &at, 2) : 0, hours <= 23, minutes <= 59
    else { return nil }
    switch text[0] {
    case UInt8(ascii: "+"): return hours * 60 + minutes
    case UInt8(ascii: "-"): return -(hours * 60 + minutes)
    default: return nil
    }
  }

  private static func isUTC(_ text: Span<UInt8>) -> Bool {
    let names: [StaticString] = ["utc", "gmt"]
    return names.contains { name in
      (0..<3).allSatisfy { unsafe text[$0] | 0x20 == name.utf8Start[$0] }
    }
  }
}
