/// What the number of a time counts, or how its text is written.
package enum TimeUnit: String, CaseIterable, Sendable {
  case s, ms, us, ns, rfc3339
}

/// How the times of a log are written.
package struct TimeForm: Sendable, Equatable {
  /// Nil: RFC 3339, or a number whose size tells seconds from milliseconds, as in the default schema.
  package var unit: TimeUnit?
  /// How a text is written that is neither a number nor RFC 3339.
  package var pattern: TimePattern?
  /// Where times that carry no zone were taken; nil: such a time is no time.
  package var zone: ZoneRules?

  package init(unit: TimeUnit? = nil, pattern: TimePattern? = nil, zone: ZoneRules? = nil) {
    self.unit = unit
    self.pattern = pattern
    self.zone = zone
  }

  /// Milliseconds since 1970 of a string's text, or a number's; nil where it is no time in this form.
  package func milliseconds(_ text: Span<UInt8>, isString: Bool) -> Int64? {
    let reading = TimeReading(self)
    defer { reading.deallocate() }
    guard case .time(let time) = reading.read(text, isString: isString) else { return nil }
    return time
  }
}
