package import AuditLog

/// How the times of a log were found to be written.
package struct FoundTime: Equatable, Hashable {
  /// The words of schema files: a unit, or a format.
  package var unit: TimeUnit?
  package var pattern: TimePattern?
  /// `UTC`, or an offset; nil: the times carry theirs.
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

  /// As an audit reads it.
  var form: TimeForm {
    TimeForm(unit: unit, pattern: pattern, zone: zone.flatMap { ZoneRules(offset: $0) })
  }

  /// Milliseconds since 1970 of a value; nil where it is no such time.
  func milliseconds(_ value: SampleValue) -> Int64? {
    guard value.isText else { return nil }
    return form.milliseconds(Array(value.text).span, isString: value.kind == .string)
  }
}
