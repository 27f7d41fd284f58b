import AuditLog

/// The form in which a text or a number is a time, and its name.
struct WrittenTime: Hashable {
  var time: TimeForm
  var words: String
  /// The number of units in a second, or 0 for a text.
  var perSecond = 0.0
  /// The same form with day and month in the other order, which the same texts may have.
  var swapped: TimeForm?

  /// Whether the times have no zone, so that it has to be named beside them.
  var lacksZone: Bool { time.zone != nil }

  /// The seconds since 1970 from 2015 to 2040. App Attest began in 2020.
  private static let plausible = 1_420_070_400.0...2_208_988_800.0
  /// The length of the longest text that is taken for a time, in bytes.
  static let longest = 64

  static let rfc3339 = WrittenTime(time: TimeForm(), words: "RFC 3339")

  /// Forms of numbers, and of texts of digits.
  private static let numbers: [WrittenTime] = [
    (TimeUnit.s, "seconds", 1.0), (.ms, "milliseconds", 1e3), (.us, "microseconds", 1e6),
    (.ns, "nanoseconds", 1e9),
  ].map { unit, words, perSecond in
    WrittenTime(time: TimeForm(unit: unit), words: "\(words) since 1970", perSecond: perSecond)
  }

  /// Forms of texts.
  private static let texts: [WrittenTime] =
    [rfc3339]
    + [
      ("%d/%b/%Y:%H:%M:%S %z", "as access logs have it"),
      ("%d/%b/%Y:%H:%M:%S%f %z", "as access logs have it, with a fraction"),
      ("[%d/%b/%Y:%H:%M:%S %z]", "as access logs have it, in brackets"),
      ("%Y-%m-%d %H:%M:%S%f %z UTC", "as Go writes it"),
      ("%Y-%m-%d %H:%M:%S%f %z %*", "as Go writes it, with more after the zone"),
      ("%Y-%m-%d %H:%M:%S%f %z", "date, time and zone"),
      ("%m/%d/%Y %I:%M:%S%f %p", "month, day and year, and a 12-hour clock"),
      ("%Y-%m-%d %I:%M:%S%f %p", "a date and a 12-hour clock"),
      ("%b %e, %Y %I:%M:%S%f %p", "a date and a 12-hour clock"),
      ("%b %e, %Y, %I:%M:%S%f %p", "a date and a 12-hour clock"),
      ("%Y-%m-%dT%H:%M:%S%f%z", "ISO 8601"), ("%Y-%m-%d %H:%M:%S%f%z", "ISO 8601 with a space"),
      ("%Y-%m-%dT%H:%M:%S%f%z[UTC]", "ISO 8601 with the zone's name"),
      ("%Y/%m/%d %H:%M:%S%f %z", "date, time and zone"),
      ("%a, %d %b %Y %H:%M:%S %z", "as HTTP has it"),
      ("%d %b %Y %H:%M:%S%f %z", "date, time and zone"),
      ("%d %b %Y %H:%M:%S%f%z", "date, time and zone"),
      ("%a %b %e %H:%M:%S %z %Y", "as the command date has it"),
      ("%m/%d/%Y %H:%M:%S%f %z", "month, day and year, time and zone"),
      ("%Y%m%dT%H%M%S%f%z", "ISO 8601 without signs"),
      ("%Y%m%d%H%M%S%f%z", "date and time in digits"),
      ("%Y-%m-%dT%H:%M:%S%f", "date and time"), ("%Y-%m-%d %H:%M:%S%f", "date and time"),
      ("%Y/%m/%d %H:%M:%S%f", "date and time"), ("%d/%b/%Y:%H:%M:%S%f", "date and time"),
      ("%d/%b/%Y %H:%M:%S%f", "date and time"), ("%d %b %Y %H:%M:%S%f", "date and time"),
      ("%b %e, %Y @ %H:%M:%S%f", "as Kibana has it"), ("%b %e, %Y %H:%M:%S%f", "date and time"),
      ("%a %b %e %H:%M:%S %Y", "as C has it"), ("%Y%m%d%H%M%S%f", "date and time in digits"),
      ("%m/%d/%Y %H:%M:%S%f", "month, day and year, and time"),
      ("%d.%m.%Y %H:%M:%S%f", "date and time"),
    ].compactMap { text, words in
      guard let time = form(text) else { return nil }
      return WrittenTime(
        time: time, words: words + (time.zone == nil ? "" : " without a zone"),
        swapped: text.hasPrefix("%m/%d/") ? form("%d/%m/" + text.dropFirst(6)) : nil)
    }

  private static func form(_ text: String) -> TimeForm? {
    guard var pattern = try? TimePattern(parsing: text) else { return nil }
    if pattern.text == TimePattern.clf.text { pattern = .clf }
    return TimeForm(pattern: pattern, zone: pattern.hasZone ? nil : .utc)
  }

  /// Returns the form of a time, and its seconds since 1970. `known` is its pointer's form so far.
  static func read(
    _ value: SampleValue, known: WrittenTime?, triesTexts: Bool = true
  ) -> (WrittenTime, Double)? {
    if value.kind == .string {
      // No time is shorter.
      guard value.text.count >= 9 else { return nil }
      let forms = (known.map { [$0] } ?? []).filter { $0.perSecond == 0 }
      for form in forms + (triesTexts && value.text.count >= 14 ? texts : []) {
        if let seconds = form.seconds(value) { return (form, seconds) }
      }
    }
    // A number may have an exponent, as Java and Spark write it.
    let signs = value.kind == .number ? ".eE+".utf8 : ".".utf8
    guard value.text.allSatisfy({ (0x30...0x39).contains($0) || signs.contains($0) }),
      let number = Double(value.string)
    else { return nil }
    return numbers.lazy.map { ($0, number / $0.perSecond) }.first { plausible.contains($0.1) }
  }

  private func seconds(_ value: SampleValue) -> Double? {
    guard let time = time.milliseconds(value) ?? swapped?.milliseconds(value) else { return nil }
    let seconds = Double(time) / 1000
    return Self.plausible.contains(seconds) ? seconds : nil
  }
}

extension TimeForm {
  /// Returns the milliseconds since 1970 of a value, or nil if it is no such time.
  func milliseconds(_ value: SampleValue) -> Int64? {
    guard value.isText else { return nil }
    return milliseconds(Array(value.text).span, isString: value.kind == .string)
  }
}
