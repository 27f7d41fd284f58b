package import AppAttest
internal import AuditLog

/// Rows with what each has in any case, for those who read a report and fill in the rest.
extension KeyRow {
  /// Makes the row of a key of which nothing else is known.
  package init(_ keyID: Digest256, _ status: KeyStatus, firstSeen: Int64, lastSeen: Int64) {
    self.init(keyID: keyID, status: status, firstSeen: firstSeen, lastSeen: lastSeen)
  }
}

extension InputRow {
  /// Makes the row of an input of which nothing else is known.
  package init(_ source: String, _ status: Status) {
    self.init(source: source, status: status)
  }
}
