internal import AppAttest

/// The time and place of an event.
struct EventPlace: CodedRow, Equatable {
  var position = Position(source: 0, line: 0)
  /// Milliseconds since 1970, or nil if it is not known.
  var time: Int64?

  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.key(&position)
    try coder.optional(time: &time)
  }
}

/// The part of a finding beside its code and its record.
package struct FindingDetail {
  /// The clause of a replay that agrees with the earlier record in every mapped field.
  package static let identical = "both records agree in every mapped field"

  /// A sentence for people.
  var text: String
  var expected: UInt32?
  /// The earlier event that the finding names, and its key, or nil if it has none or only its device is known.
  var related: EventPlace?
  var relatedKeyID: Digest256?
  var count: UInt64

  init(
    _ text: String, expected: UInt32? = nil, related: EventPlace? = nil,
    of relatedKeyID: Digest256? = nil, count: UInt64 = 1
  ) {
    self.text = text
    self.expected = expected
    self.related = related
    self.relatedKeyID = related == nil ? nil : relatedKeyID
    self.count = count
  }

  /// Takes the detail of a finding of earlier runs, as far as they kept it.
  init(_ earlier: Finding?) {
    self.init(
      earlier?.detail ?? "An earlier run reported it.", expected: earlier?.expected,
      related: earlier?.related.map { EventPlace(position: $0, time: earlier?.relatedTime) },
      of: earlier?.relatedKeyID)
  }
}
