internal import AppAttest

/// The key of an event, or the device in its place: neither is ever taken for the other.
struct KeyOwner: CodedRow, Hashable, Comparable {
  /// Key identifier, or SHA-256 of the device identifier.
  var digest = Digest256()
  var isDevice = false

  static func < (left: KeyOwner, right: KeyOwner) -> Bool {
    if left.digest != right.digest { return left.digest < right.digest }
    return !left.isDevice && right.isDevice
  }

  mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.digest(&digest)
    try coder.flag(&isDevice)
  }
}
