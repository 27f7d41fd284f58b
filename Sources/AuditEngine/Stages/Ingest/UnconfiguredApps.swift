/// The records of apps that no setting names, without those that the server rejected and those whose
/// findings are accepted.
package struct UnconfiguredApps: CodedRow, Sendable, Equatable {
  /// The longest App ID that is told, in bytes of UTF-8. Apple's end at 155.
  static let idBytes = 255

  package private(set) var records: UInt64 = 0
  /// The first of their App IDs in byte order, or empty if none is known.
  private var id = ""

  package init() {}

  /// Counts a record, with its App ID if it is known.
  mutating func count(_ id: String?) {
    records += 1
    take(id ?? "")
  }

  private mutating func take(_ other: String) {
    guard !other.isEmpty, other.utf8.count <= Self.idBytes,
      id.isEmpty || other.utf8.lexicographicallyPrecedes(id.utf8)
    else { return }
    id = other
  }

  /// Adds what another worker counted.
  static func += (sum: inout UnconfiguredApps, other: UnconfiguredApps) {
    sum.records += other.records
    sum.take(other.id)
  }

  /// Returns one line for people, or nil if no App ID is known and so few of the requests are among the records that
  /// no setting seems to be missing.
  func notice(of requests: UInt64) -> String? {
    let many: UInt64 = 20
    let leastPart: UInt64 = 20
    guard records > 0, !id.isEmpty || records >= many || records * leastPart >= requests else {
      return nil
    }
    return
      "\(records) \(records == 1 ? "record is" : "records are") of apps that are not configured"
      + (id.isEmpty ? "" : ", such as \(id)")
      + "; if an app is yours, add it under apps in the pipeline file; --app-id replaces all that are "
      + "there"
  }

  package mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
    try coder.count(&records)
    try coder.longText(&id)
  }
}
