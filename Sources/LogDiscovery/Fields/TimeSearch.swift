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

  /// How a text says a time.
  private enum Unit: String, CaseIterable {
    case rfc3339, s, ms, us, ns

    /// How many of the unit make a second.
    var perSecond: Double {
      switch self {
      case .rfc3339, .s: 1
      case .ms: 1e3
      case .us: 1e6
      case .ns: 1e9
      }
    }
  }

  /// A pointer and the unit that a schema has to name for it; nil where the default reading finds the
  /// time, whatever its form.
  private struct Place: Hashable {
    var pointer: Int
    var unit: Unit?
  }

  private struct Series {
    var forms: [Unit: Int] = [:]
    var lines = 0
    var rising = 0
    var last = -Double.infinity
    var lastSource = -1
  }

  /// The field `time` of `lines`; nil where no pointer has times.
  static func find(_ lines: [SampleLine], _ pointers: PointerTable) -> FoundField? {
    var series: [Place: Series] = [:]
    for line in lines {
      for value in line.values where value.isText && value.text.count <= 40 {
        guard let (unit, seconds) = read(value) else { continue }
        let place = Place(pointer: value.pointer, unit: named(unit, value.kind))
        var known = series[place] ?? Series()
        known.forms[unit, default: 0] += 1
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
    let forms = Unit.allCases.filter { found.forms[$0] != nil }.map(words).joined(separator: " or ")
    return FoundField(
      name: "time", form: .pointers([place.pointer], unit: unit(place, found)?.rawValue),
      what: "\(forms), rising on \(share) %", sureness: .likely, lines: found.lines,
      of: lines.count)
  }

  /// Milliseconds since 1970 of a value, as an audit reads it in a unit, or in none; nil where it is
  /// no time.
  static func milliseconds(_ value: SampleValue, unit: String?) -> Int64? {
    let text = Array(value.text)
    if let unit = unit.flatMap(TimeUnit.init(rawValue:)), unit != .rfc3339 {
      return value.isText ? LogTime.parse(text.span, in: unit) : nil
    }
    switch value.kind {
    case .string: return LogTime.parse(rfc3339: text.span)
    case .number: return LogTime.parse(number: text.span)
    case .boolean, .null, .object, .array: return nil
    }
  }

  /// The unit to name: also that of numbers which are (nearly) all of one, so that nothing else is
  /// taken for a time.
  private static func unit(_ place: Place, _ series: Series) -> Unit? {
    if let unit = place.unit { return unit }
    guard let (unit, lines) = series.forms.max(by: { $0.value < $1.value }), unit != .rfc3339,
      Double(lines) >= Double(series.lines) * leastUniform
    else { return nil }
    return unit
  }

  /// The unit that a schema has to name.
  private static func named(_ unit: Unit, _ kind: SampleValue.Kind) -> Unit? {
    switch unit {
    case .rfc3339: nil
    case .s, .ms: kind == .string ? unit : nil
    case .us, .ns: unit
    }
  }

  private static func words(_ unit: Unit) -> String {
    switch unit {
    case .rfc3339: "RFC 3339"
    case .s: "seconds since 1970"
    case .ms: "milliseconds since 1970"
    case .us: "microseconds since 1970"
    case .ns: "nanoseconds since 1970"
    }
  }

  private static func read(_ value: SampleValue) -> (Unit, Double)? {
    if value.kind == .string, let time = LogTime.parse(rfc3339: Array(value.text).span) {
      let seconds = Double(time) / 1000
      return plausible.contains(seconds) ? (.rfc3339, seconds) : nil
    }
    guard value.text.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E }),
      let number = Double(value.string)
    else { return nil }
    for unit in Unit.allCases where unit != .rfc3339 {
      let seconds = number / unit.perSecond
      if plausible.contains(seconds) { return (unit, seconds) }
    }
    return nil
  }
}
