package import AuditLog

/// The form in which the times of a log are written.
package struct FoundTime: Equatable, Hashable {
  /// The unit or the format, in the words of schema files.
  package var unit: TimeUnit?
  package var pattern: TimePattern?
  /// `UTC`, or an offset, or nil if the times carry their own.
  package var zone: String?

  /// The keys beside the pointer, in a schema file.
  var text: String {
    var parts: [String] = []
    if let pattern {
      parts.append(
        "format: " + (pattern == .clf ? "clf" : YAMLText.quoted(pattern.text)))
    } else if let unit, unit != .rfc3339 || zone != nil {
      parts.append(unit == .rfc3339 ? "format: rfc3339" : "unit: \(unit.rawValue)")
    }
    if let zone { parts.append("zone: \(YAMLText.scalar(zone))") }
    return parts.joined(separator: ", ")
  }

  /// The form in which an audit reads the times.
  var form: TimeForm {
    TimeForm(unit: unit, pattern: pattern, zone: zone.flatMap { ZoneRules(offset: $0) })
  }

  /// Returns the milliseconds since 1970 of a value, or nil if it is no such time.
  func milliseconds(_ value: SampleValue) -> Int64? {
    guard value.isText else { return nil }
    return form.milliseconds(Array(value.text).span, isString: value.kind == .string)
  }
}
