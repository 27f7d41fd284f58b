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

  static func isSince2001(_ seconds: Double) -> Bool { plausible.contains(seconds + 978_307_200) }

  /// The length of the longest text that is taken for a time, in bytes.
  static let longest = 64

  static let rfc3339 = WrittenTime(time: TimeForm(), words: "RFC 3339")
  static let mixed = WrittenTime(
    time: TimeForm(zone: .utc), words: "RFC 3339, in part without a zone")

  /// Forms of numbers, and of texts of digits.
  private static let numbers: [WrittenTime] = [
    (TimeUnit.s, "seconds", 1.0), (.ms, "milliseconds", 1e3), (.us, "microseconds", 1e6),
    (.ns, "nanoseconds", 1e9),
  ].map { unit, words, perSecond in
    WrittenTime(time: TimeForm(unit: unit), words: "\(words) since 1970", perSecond: perSecond)
  }

  /// Forms of texts: those of `Words/times.txt`.
  private static let texts: [WrittenTime] = {
    let file = String(decoding: PackageResources.times_txt, as: UTF8.self)
    return [rfc3339] + file.split(separator: "\n").compactMap(text)
  }()

  private static func text(_ line: Substring) -> WrittenTime? {
    let parts = line.split(separator: "=").map { $0.trimmingPrefix(" ") }
    let pattern = String(parts[0].dropLast())
    guard let time = form(pattern) else { return nil }
    return WrittenTime(
      time: time, words: parts[1] + (time.zone == nil ? "" : " without a zone"),
      swapped: pattern.hasPrefix("%m/%d/") ? form("%d/%m/" + pattern.dropFirst(6)) : nil)
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
