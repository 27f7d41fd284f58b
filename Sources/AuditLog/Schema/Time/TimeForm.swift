/// The unit that the number of a time counts, or the form of its text.
package enum TimeUnit: String, CaseIterable, Sendable {
  case s, ms, us, ns, rfc3339
}

/// The form of the times of a log.
package struct TimeForm: Sendable, Hashable {
  /// The unit, or nil for RFC 3339, or a number whose size tells seconds from milliseconds, as in the default schema.
  package var unit: TimeUnit?
  /// The pattern of a text that is neither a number nor RFC 3339.
  package var pattern: TimePattern?
  /// The zone of times that carry no zone, or nil if such a time is no time.
  package var zone: ZoneRules?

  package init(unit: TimeUnit? = nil, pattern: TimePattern? = nil, zone: ZoneRules? = nil) {
    self.unit = unit
    self.pattern = pattern
    self.zone = zone
  }

  /// The same form in memory of its own: threads that share it wait for each other.
  func copied() -> TimeForm {
    TimeForm(unit: unit, pattern: pattern?.copied(), zone: zone?.copied())
  }

  /// Returns milliseconds since 1970 for a string's text, or a number's, or nil if it is not a time in this form. Of a
  /// local time that occurs twice it is the earlier instant.
  package func milliseconds(_ text: Span<UInt8>, isString: Bool) -> Int64? {
    switch read(text, isString: isString) {
    case .time(let time), .either(let time, _): time
    case .none, .zoneless: nil
    }
  }

  /// The form in words, for a text that is no time in it.
  var fault: String {
    if pattern != nil { return "not a time of its format" }
    return switch unit {
    case nil: "neither RFC 3339 with an offset nor a time in range"
    case .rfc3339: "not RFC 3339 with an offset"
    case let unit?: "not a number in \(unit.rawValue) of a time in range"
    }
  }

  enum Outcome: Equatable {
    case time(Int64)
    /// A local time in the hour that occurs twice: its earlier and its later instant.
    case either(Int64, Int64)
    case none
    /// A time without a zone, where none is said.
    case zoneless
  }

  func read(_ text: Span<UInt8>, isString: Bool) -> Outcome {
    if let pattern {
      guard let (local, offset) = pattern.read(text) else { return .none }
      return offset.map { Self.outcome(local - Int64($0) * 60_000) } ?? place(local)
    }
    guard unit == .rfc3339 || unit == nil && isString else {
      return LogTime.parse(number: text, in: unit).map { .time($0) } ?? .none
    }
    if let time = LogTime.parse(rfc3339: text) { return .time(time) }
    return LogTime.parse(local: text).map(place) ?? .none
  }

  /// Returns a time by the clocks of the place that the schema names.
  private func place(_ local: Int64) -> Outcome {
    guard let (time, later) = zone?.utc(local: local) else { return .zoneless }
    guard LogTime.range.contains(time) else { return .none }
    return later == time ? .time(time) : .either(time, later)
  }

  private static func outcome(_ time: Int64) -> Outcome {
    LogTime.range.contains(time) ? .time(time) : .none
  }
}
