import AuditLog

/// Looks for the time of lines: a pointer whose values are times, and rise.
struct TimeSearch {
  /// Seconds since 1970 of 2015 and of 2040: App Attest began in 2020.
  private static let plausible = 1_420_070_400.0...2_208_988_800.0
  /// A pointer has to hold a time on this share of the lines.
  private static let leastShare = 0.8
  /// Of numbers that are times this share has to be of one unit for it to be named.
  private static let leastUniform = 0.98
  private static let names = ["time", "ts", "timestamp", "date", "datetime", "at", "when"]

  /// How a text says a time, and what that is called.
  private struct Form: Hashable {
    var time: FoundTime
    var words: String
    /// True where a zone has to be said beside it.
    var lacksZone = false
    /// How many of the unit make a second.
    var perSecond = 0.0
  }

  /// Forms of numbers, and of texts of digits.
  private static let numbers: [Form] = [
    (TimeUnit.s, "seconds", 1.0), (.ms, "milliseconds", 1e3), (.us, "microseconds", 1e6),
    (.ns, "nanoseconds", 1e9),
  ].map { unit, words, perSecond in
    Form(time: FoundTime(unit: unit), words: "\(words) since 1970", perSecond: perSecond)
  }

  private static let rfc3339 = Form(time: FoundTime(), words: "RFC 3339")

  /// Forms of texts that are not RFC 3339.
  private static let patterns: [Form] = [
    ("%d/%b/%Y:%H:%M:%S %z", "as access logs have it"),
    ("[%d/%b/%Y:%H:%M:%S %z]", "as access logs have it, in brackets"),
    ("%Y-%m-%d %H:%M:%S%f %z UTC", "as Go writes it"),
    ("%Y-%m-%d %H:%M:%S%f %z", "date, time and zone"),
    ("%Y-%m-%dT%H:%M:%S%f%z", "ISO 8601"), ("%Y-%m-%d %H:%M:%S%f%z", "ISO 8601 with a space"),
    ("%Y/%m/%d %H:%M:%S%f %z", "date, time and zone"),
    ("%a, %d %b %Y %H:%M:%S %z", "as HTTP has it"),
    ("%Y%m%dT%H%M%S%f%z", "ISO 8601 without signs"),
    ("%Y-%m-%dT%H:%M:%S%f", "date and time"), ("%Y-%m-%d %H:%M:%S%f", "date and time"),
    ("%Y/%m/%d %H:%M:%S%f", "date and time"), ("%d/%b/%Y:%H:%M:%S", "date and time"),
    ("%d/%b/%Y %H:%M:%S%f", "date and time"), ("%d %b %Y %H:%M:%S%f", "date and time"),
  ].compactMap { text, words in
    guard var pattern = try? TimePattern(parsing: text) else { return nil }
    if pattern.text == TimePattern.clf.text { pattern = .clf }
    let lacksZone = !pattern.hasZone
    return Form(
      time: FoundTime(pattern: pattern, zone: lacksZone ? "UTC" : nil),
      words: words + (lacksZone ? " without a zone" : ""), lacksZone: lacksZone)
  }

  /// A pointer and the form that a schema has to name for it; nil where the default reading finds the
  /// time, whatever its form.
  private struct Place: Hashable {
    var pointer: Int
    var form: Form?
  }

  private struct Series {
    var forms: [Form: Int] = [:]
    var lines = 0
    var rising = 0
    var last = -Double.infinity
    var lastSource = -1
  }

  /// The field `time` of `lines`; nil where no pointer has times.
  ///
  /// - Parameter clock: When tokens were made, by the indexes of their lines: what a missing zone is
  ///   told by.
  static func find(
    _ lines: [SampleLine], _ pointers: PointerTable, clock: TokenClock = TokenClock()
  ) -> FoundField? {
    var series: [Place: Series] = [:]
    var known: [Int: Form] = [:]
    for line in lines {
      for value in line.values where value.isText && value.text.count <= 40 {
        guard let (form, seconds) = read(value, known[value.pointer]) else { continue }
        known[value.pointer] = form
        let place = Place(pointer: value.pointer, form: named(form, value.kind))
        var known = series[place] ?? Series()
        known.forms[form, default: 0] += 1
        known.lines += 1
        if known.lastSource != line.source || seconds >= known.last { known.rising += 1 }
        known.last = seconds
        known.lastSource = line.source
        series[place] = known
      }
    }
    let least = Double(lines.count) * leastShare
    func score(_ place: Place, _ series: Series) -> Double {
      let name = NameWords(pointers.name(place.pointer))
      let rank = name.isOne(names) ? 0.5 : name.ends(names) ? 0.3 : 0
      return Double(series.rising) / Double(max(1, series.lines)) + rank
        + Double(series.lines) / Double(max(1, lines.count))
        - 0.02 * Double(pointers.depth(place.pointer))
    }
    let best = series.filter { Double($0.value.lines) >= least }.max {
      (score($0.key, $0.value), $1.key.pointer) < (score($1.key, $1.value), $0.key.pointer)
    }
    guard let (place, found) = best else { return nil }
    let share = found.rising * 100 / max(1, found.lines)
    let forms = found.forms.keys.map(\.words).sorted().joined(separator: " or ")
    var time = time(place, found)
    var what = "\(forms), rising on \(share) %"
    if place.form?.lacksZone ?? false, var form = time {
      let zone = clock.zone { token in token[place.pointer].flatMap(form.milliseconds) }
      form.zone = zone.text
      time = form
      what += ", \(zone.text) \(zone.evidence)"
    }
    return FoundField(
      name: "time", form: .pointers([place.pointer], time: time), what: what, sureness: .likely,
      lines: found.lines, of: lines.count)
  }

  /// The form to name: also that of numbers which are (nearly) all of one unit, so that nothing else
  /// is taken for a time.
  private static func time(_ place: Place, _ series: Series) -> FoundTime? {
    if let form = place.form { return form.time }
    guard let (form, lines) = series.forms.max(by: { $0.value < $1.value }), form != rfc3339,
      Double(lines) >= Double(series.lines) * leastUniform
    else { return nil }
    return form.time
  }

  /// The form that a schema has to name.
  private static func named(_ form: Form, _ kind: SampleValue.Kind) -> Form? {
    switch form.time.unit {
    case .s, .ms: kind == .string ? form : nil
    case .us, .ns: form
    case nil, .rfc3339: form == rfc3339 ? nil : form
    }
  }

  /// The form of a value that is a time, and its seconds since 1970; `known` is the form that its
  /// pointer had before.
  private static func read(_ value: SampleValue, _ known: Form?) -> (Form, Double)? {
    if value.kind == .string {
      // The shortest time to the minute, and a digit, as all have them.
      guard value.text.count >= 9, let first = value.text.first else { return nil }
      if let known, known.perSecond == 0, let seconds = seconds(value, known) {
        return (known, seconds)
      }
      let mayBeText =
        (0x30...0x39).contains(first) || first == UInt8(ascii: "[") || first | 0x20 >= 0x61
      if mayBeText, value.text.count >= 15 {
        for form in [rfc3339] + patterns {
          if let seconds = seconds(value, form) { return (form, seconds) }
        }
      }
    }
    guard value.text.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
      let number = Double(value.string)
    else { return nil }
    for form in numbers {
      let seconds = number / form.perSecond
      if plausible.contains(seconds) { return (form, seconds) }
    }
    return nil
  }

  private static func seconds(_ value: SampleValue, _ form: Form) -> Double? {
    guard let time = form.time.milliseconds(value) else { return nil }
    let seconds = Double(time) / 1000
    return plausible.contains(seconds) ? seconds : nil
  }
}
