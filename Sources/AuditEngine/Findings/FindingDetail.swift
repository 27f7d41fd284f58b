internal import AuditLog

/// The part of a finding beside its code and its record.
struct FindingDetail {
  /// A sentence for people.
  var text: String
  /// The counter that was expected.
  var expected: UInt32?
  /// The earlier event that the finding names.
  var related: Position?
  /// The number of records that it counts.
  var count: UInt64

  init(
    _ text: String, expected: UInt32? = nil, related: Position? = nil, count: UInt64 = 1
  ) {
    self.text = text
    self.expected = expected
    self.related = related
    self.count = count
  }
}
