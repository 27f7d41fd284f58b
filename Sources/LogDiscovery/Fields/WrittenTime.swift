import AuditLog

/// The form in which a text or a number is a time, and its name.
struct WrittenTime: Hashable {
  var time: TimeForm
  var words: String
  /// Whether the times have no zone, so that it has to be named beside them.
  var lacksZone = false
  /// The number of units in a second, or 0 for a text.
  var perSecond = 0.0
  /// The beginning of such texts: `0` for a digit, `a` for a letter, any other byte for itself.
  private var head: [UInt8] = []

  /// Makes a form.
  ///
  /// - Parameter pattern: The pattern of the texts, or nil if they have none.
  private init(
    time: TimeForm, words: String, lacksZone: Bool = false, perSecond: Double = 0,
    pattern: String = "%Y-%m-%d"
  ) {
    self.time = time
    self.words = words
    self.lacksZone = lacksZone
    self.perSecond = perSecond
    head = Self.head(pattern)
  }

  private static let heads: [Character: String] = [
    "Y": "0000", "m": "00", "d": "00", "H": "00", "M": "00", "S": "00", "b": "aaa", "a": "aaa",
  ]

  /// Returns the beginning of texts of a pattern, up to the first part without a fixed length.
  private static func head(_ pattern: String) -> [UInt8] {
    let parts = pattern.split(separator: "%", omittingEmptySubsequences: false)
    var head = String(parts[0])
    for part in parts.dropFirst() {
      guard let letter = part.first, let digits = heads[letter] else { break }
      head += digits
      if digits == "aaa" { break }
      head += part.dropFirst()
    }
    return Array(head.utf8)
  }

  /// Returns whether a text begins like this form, so that texts without a time are excluded at
  /// little cost.
  private func mayFit(_ text: ArraySlice<UInt8>) -> Bool {
    text.count >= head.count
      && zip(text, head).allSatisfy { byte, wanted in
        switch wanted {
        case UInt8(ascii: "0"): (0x30...0x39).contains(byte)
        case UInt8(ascii: "a"): (0x61...0x7A).contains(byte | 0x20)
        default: byte == wanted
        }
      }
  }

  /// The seconds since 1970 from 2015 to 2040. App Attest began in 2020.
  private static let plausible = 1_420_070_400.0...2_208_988_800.0

  static let rfc3339 = WrittenTime(time: TimeForm(), words: "RFC 3339")

  /// Forms of numbers, and of texts of digits.
  private static let numbers: [WrittenTime] = [
    (TimeUnit.s, "seconds", 1.0), (.ms, "milliseconds", 1e3), (.us, "microseconds", 1e6),
    (.ns, "nanoseconds", 1e9),
  ].map { unit, words, perSecond in
    WrittenTime(time: TimeForm(unit: unit), words: "\(words) since 1970", perSecond: perSecond)
  }

  /// Forms of texts that are not RFC 3339, each with further forms that the same texts may have.
  private static let patterns: [WrittenTime] = [
    ("%d/%b/%Y:%H:%M:%S %z", "as access logs have it"),
    ("%d/%b/%Y:%H:%M:%S%f %z", "as access logs have it, with a fraction"),
    ("[%d/%b/%Y:%H:%M:%S %z]", "as access logs have it, in brackets"),
    ("%Y-%m-%d %H:%M:%S%f %z UTC", "as Go writes it"),
    ("%Y-%m-%d %H:%M:%S%f %z %*", "as Go writes it, with more after the zone"),
    ("%Y-%m-%d %H:%M:%S%f %z", "date, time and zone"),
    ("%m/%d/%Y %I:%M:%S%f %p", "month, day and year, and a 12-hour clock"),
    ("%d/%m/%Y %I:%M:%S%f %p", "day, month and year, and a 12-hour clock"),
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
    ("%d/%m/%Y %H:%M:%S%f %z", "day, month and year, time and zone"),
    ("%Y%m%dT%H%M%S%f%z", "ISO 8601 without signs"),
    ("%Y%m%d%H%M%S%f%z", "date and time in digits"),
    ("%Y-%m-%dT%H:%M:%S%f", "date and time"), ("%Y-%m-%d %H:%M:%S%f", "date and time"),
    ("%Y/%m/%d %H:%M:%S%f", "date and time"), ("%d/%b/%Y:%H:%M:%S%f", "date and time"),
    ("%d/%b/%Y %H:%M:%S%f", "date and time"), ("%d %b %Y %H:%M:%S%f", "date and time"),
    ("%b %e, %Y @ %H:%M:%S%f", "as Kibana has it"), ("%b %e, %Y %H:%M:%S%f", "date and time"),
    ("%a %b %e %H:%M:%S %Y", "as C has it"), ("%Y%m%d%H%M%S%f", "date and time in digits"),
    ("%m/%d/%Y %H:%M:%S%f", "month, day and year, and time"),
    ("%d/%m/%Y %H:%M:%S%f", "day, month and year, and time"),
    ("%d.%m.%Y %H:%M:%S%f", "date and time"),
  ].compactMap { text, words in
    guard var pattern = try? TimePattern(parsing: text) else { return nil }
    if pattern.text == TimePattern.clf.text { pattern = .clf }
    let lacksZone = !pattern.hasZone
    return WrittenTime(
      time: TimeForm(pattern: pattern, zone: lacksZone ? .utc : nil),
      words: words + (lacksZone ? " without a zone" : ""), lacksZone: lacksZone, pattern: text)
  }

  private static let textForms = [rfc3339] + patterns

  /// The length of the longest text that is taken for a time, in bytes.
  static let longest = 64

  /// Returns the form of a value that is a time, and its seconds since 1970. `known` is the form
  /// that its pointer had before.
  static func read(_ value: SampleValue, known: WrittenTime?) -> (WrittenTime, Double)? {
    if value.kind == .string {
      // No time is shorter.
      guard value.text.count >= 9, let first = value.text.first else { return nil }
      if let known, known.perSecond == 0, let seconds = known.seconds(value) {
        return (known, seconds)
      }
      let mayBeText =
        (0x30...0x39).contains(first) || first == UInt8(ascii: "[")
        || (0x61...0x7A).contains(first | 0x20)
      if mayBeText, value.text.count >= 14 {
        for form in textForms where form.mayFit(value.text) {
          if let seconds = form.seconds(value) { return (form, seconds) }
        }
      }
    }
    // A number may have an exponent, as Java and Spark write it.
    let signs = value.kind == .number ? ".eE+".utf8 : ".".utf8
    guard value.text.allSatisfy({ (0x30...0x39).contains($0) || signs.contains($0) }),
      let number = Double(value.string)
    else { return nil }
    for form in numbers {
      let seconds = number / form.perSecond
      if plausible.contains(seconds) { return (form, seconds) }
    }
    return nil
  }

  /// The form in which the same texts are another time, with day and month in the other order, or
  /// nil if there is none.
  var twin: WrittenTime? {
    guard let text = time.pattern?.text else { return nil }
    let other =
      text.hasPrefix("%m/%d/")
      ? "%d/%m/" + text.dropFirst(6) : text.hasPrefix("%d/%m/") ? "%m/%d/" + text.dropFirst(6) : ""
    return Self.patterns.first { $0.time.pattern?.text == other }
  }

  private func seconds(_ value: SampleValue) -> Double? {
    guard let time = time.milliseconds(value) else { return nil }
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
