/// Times in text as RFC 3339, section 5.6, has them: read here and nowhere else.
package enum RFC3339 {
  /// The length of the shortest date-time: to the second, in UTC.
  private static let shortest = 20

  /// Returns milliseconds since 1970 of a date-time with its offset, or nil. Further fraction
  /// digits are cut, and a leap second counts as the second after it.
  package static func milliseconds(_ text: Span<UInt8>) -> Int64? {
    guard text.count >= shortest else { return nil }
    return unsafe text.withUnsafeBufferPointer { text in
      guard let start = text.baseAddress else { return nil }
      return unsafe parse(start, count: text.count)
    }
  }

  private static func parse(_ text: UnsafePointer<UInt8>, count: Int) -> Int64? {
    var bad: UInt32 = 0
    var fields = CivilFields()
    fields.year = unsafe pair(text, 0, &bad) * 100 + pair(text, 2, &bad)
    fields.month = unsafe pair(text, 5, &bad)
    fields.day = unsafe pair(text, 8, &bad)
    fields.hour = unsafe pair(text, 11, &bad)
    fields.minute = unsafe pair(text, 14, &bad)
    fields.second = unsafe pair(text, 17, &bad)
    let between = unsafe text[10]
    guard bad >> 31 == 0,
      unsafe text[4] == UInt8(ascii: "-"), unsafe text[7] == UInt8(ascii: "-"),
      between | 0x20 == UInt8(ascii: "t") || between == UInt8(ascii: " "),
      unsafe text[13] == UInt8(ascii: ":"), unsafe text[16] == UInt8(ascii: ":")
    else { return nil }
    var at = 19
    if unsafe text[at] == UInt8(ascii: ".") {
      at += 1
      let start = at
      fields.milliseconds = unsafe fraction(text, count: count, &at)
      guard at > start else { return nil }
    }
    guard let local = fields.time, let offset = unsafe offset(text + at, count: count - at) else {
      return nil
    }
    return local - Int64(offset) * 60_000
  }

  /// Returns the number of two decimal digits, or sets the top bit of `bad`.
  @inline(__always)
  private static func pair(
    _ text: UnsafePointer<UInt8>, _ at: Int, _ bad: inout UInt32
  ) -> Int {
    let tens = unsafe UInt32(text[at] &- UInt8(ascii: "0"))
    let ones = unsafe UInt32(text[at + 1] &- UInt8(ascii: "0"))
    bad |= (9 &- tens) | (9 &- ones)
    return Int(truncatingIfNeeded: tens &* 10 &+ ones)
  }

  /// Returns the milliseconds that the digits at `at` are after a point; `at` is moved after them.
  package static func fraction(_ text: Span<UInt8>, _ at: inout Int) -> Int {
    unsafe text.withUnsafeBufferPointer { text in
      guard let start = text.baseAddress else { return 0 }
      return unsafe fraction(start, count: text.count, &at)
    }
  }

  @inline(__always)
  private static func fraction(
    _ text: UnsafePointer<UInt8>, count: Int, _ at: inout Int
  ) -> Int {
    var milliseconds = 0
    var weight = 100
    while at < count {
      let digit = unsafe text[at] &- UInt8(ascii: "0")
      guard digit <= 9 else { break }
      milliseconds += Int(digit) * weight
      weight /= 10
      at += 1
    }
    return milliseconds
  }

  /// Returns the offset at the end of a date-time, in minutes east of UTC.
  private static func offset(_ text: UnsafePointer<UInt8>, count: Int) -> Int? {
    if count == 1 { return unsafe text[0] | 0x20 == UInt8(ascii: "z") ? 0 : nil }
    guard count == 6, unsafe text[3] == UInt8(ascii: ":") else { return nil }
    var bad: UInt32 = 0
    let hours = unsafe pair(text, 1, &bad)
    let minutes = unsafe pair(text, 4, &bad)
    guard bad >> 31 == 0, hours <= 23, minutes <= 59 else { return nil }
    switch unsafe text[0] {
    case UInt8(ascii: "+"): return hours * 60 + minutes
    case UInt8(ascii: "-"): return -(hours * 60 + minutes)
    default: return nil
    }
  }
}
