/// The unit that the number of a time counts, or the form of its text.
package enum TimeUnit: String, CaseIterable, Sendable {
  case s, ms, us, ns, rfc3339
}

/// The form of the times of a log.
package struct TimeForm: Sendable, Hashable {
  /// The unit, or nil for RFC 3339, or a number whose size tells seconds from milliseconds, as in
  /// the default schema.
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

  /// Returns milliseconds since 1970 for a string's text, or a number's, or nil if it is not a time in
  /// this form. Of a local time that occurs twice it is the earlier instant.
  package func milliseconds(_ text: Span<UInt8>, isString: Bool) -> Int64? {
    let reading = TimeReading(self)
    defer { reading.deallocate() }
    switch reading.read(text, isString: isString) {
    case .time(let time), .either(let time, _): return time
    case .none, .zoneless: return nil
    }
  }
}
