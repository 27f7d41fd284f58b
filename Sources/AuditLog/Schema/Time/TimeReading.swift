internal import Basics

/// A form of times in memory that is not counted; lives as long as the reader.
@safe struct TimeReading {
  enum Outcome: Equatable {
    case time(Int64)
    /// A local time in the hour that occurs twice: its earlier and its later instant.
    case either(Int64, Int64)
    case none
    /// A time without a zone, where none is said.
    case zoneless
  }

  let unit: TimeUnit?
  private let steps: UnsafeMutableBufferPointer<TimePattern.Step>
  private let hasZone: Bool
  private let shifts: UnsafeMutableBufferPointer<ZoneRules.Shift>

  /// Makes a reading of times in a form. To be freed by `deallocate`.
  init(_ form: TimeForm) {
    unit = form.unit
    unsafe steps = (form.pattern?.steps ?? []).copied()
    unsafe shifts = (form.zone?.shifts ?? []).copied()
    hasZone = form.zone != nil
  }

  func deallocate() {
    unsafe steps.deallocate()
    unsafe shifts.deallocate()
  }

  /// Whether times are texts by a pattern.
  var hasPattern: Bool { unsafe !steps.isEmpty }

  /// Whether times are read as in the default schema.
  @inline(__always)
  var isStandard: Bool { unsafe unit == nil && steps.isEmpty && !hasZone }

  /// Reads milliseconds since 1970 from a string's text, or a number's.
  func read(_ text: Span<UInt8>, isString: Bool) -> Outcome {
    let time: Int64?
    if unsafe !steps.isEmpty { return pattern(text) }
    switch unit {
    case nil where !isString: time = LogTime.parse(number: text)
    case nil, .rfc3339: return rfc3339(text)
    case let unit?: time = LogTime.parse(text, in: unit)
    }
    return time.map { .time($0) } ?? .none
  }

  private func rfc3339(_ text: Span<UInt8>) -> Outcome {
    if let time = LogTime.parse(rfc3339: text) { return .time(time) }
    guard let local = LogTime.parse(local: text) else { return .none }
    return place(local)
  }

  /// Returns a time by the clocks of the place that the schema names.
  private func place(_ local: Int64) -> Outcome {
    guard hasZone else { return .zoneless }
    let (time, later) = unsafe shifts.utc(local: local)
    guard LogTime.range.contains(time) else { return .none }
    return later == time ? .time(time) : .either(time, later)
  }

  // MARK: Patterns

  private static let months: [StaticString] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  private func pattern(_ text: Span<UInt8>) -> Outcome {
    var at = 0
    var parts = CivilFields()
    var offset: Int?
    for index in unsafe steps.indices {
      let step = unsafe steps[index]
      switch step {
      case .byte(let byte):
        guard at < text.count, text[at] == byte else { return .none }
        at += 1
      case .weekday: guard Self.letters(text, &at) >= 3 else { return .none }
      case .monthName:
        guard let month = Self.month(text, &at) else { return .none }
        parts.month = month
      case .plainDay:
        guard let day = Self.plainDay(text, &at) else { return .none }
        parts.day = day
      case .halfHour:
        guard let hour = Self.plainDay(text, &at), (1...12).contains(hour) else { return .none }
        parts.hour += hour % 12
      case .half:
        guard let hours = Self.half(text, &at) else { return .none }
        parts.hour += hours
      case .rest: at = text.count
      case .fraction: parts.milliseconds = Self.fraction(text, &at)
      case .zone:
        guard let minutes = Self.zone(text, &at) else { return .none }
        offset = minutes
      case .year, .month, .day, .hour, .minute, .second:
        let width = step == .year ? 4 : 2
        guard let number = Self.number(text, &at, width) else { return .none }
        switch step {
        case .year: parts.year = number
        case .month: parts.month = number
        case .day: parts.day = number
        case .hour: parts.hour = number
        case .minute: parts.minute = number
        default: parts.second = number
        }
      }
    }
    guard at == text.count, let local = parts.time else { return .none }
    guard let offset else { return place(local) }
    let time = local - Int64(offset) * 60_000
    return LogTime.range.contains(time) ? .time(time) : .none
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
  private static func plainDay(_ text: Span<UInt8>, _ at: inout Int) -> Int? {
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

  /// Passes over letters and tells how many.
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

  /// Returns the milliseconds of a fraction, where one is there.
  private static func fraction(_ text: Span<UInt8>, _ at: inout Int) -> Int {
    guard at + 1 < text.count, text[at] == UInt8(ascii: ".") || text[at] == UInt8(ascii: ","),
      text[at + 1] &- UInt8(ascii: "0") <= 9
    else { return 0 }
    at += 1
    return RFC3339.fraction(text, &at)
  }

  /// Returns the minutes east of UTC that a zone in a pattern says.
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

  /// Returns the minutes east of UTC of `Z`, `UTC`, `GMT`, `+0100`, `+01:00` or `+01`, or nil for
  /// any other text.
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
