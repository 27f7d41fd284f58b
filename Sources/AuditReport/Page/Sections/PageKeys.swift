internal import AppAttest
internal import AuditEngine
internal import AuditLog

/// The keys with the most grave findings of accepted requests, counted in bounded memory.
struct PageKeys {
  /// What is counted of one key.
  struct Entry {
    var keyID: Digest256
    /// Records of findings at or above `high` that the server accepted.
    var accepted: UInt64 = 0
    var findings: UInt64 = 0
    var worst = Severity.info
    /// The row of `keys.csv`, once it is known.
    var row: KeyRow?
  }

  /// The most keys that are counted at once.
  static let limit = 32_768
  /// The most keys that the page draws.
  static let shown = 9

  private var entries: [Digest256: Entry] = [:]

  /// Takes a finding.
  mutating func add(_ finding: Finding) {
    guard let keyID = finding.keyID else { return }
    var entry = entries[keyID] ?? Entry(keyID: keyID)
    entry.findings += 1
    entry.worst = max(entry.worst, finding.severity)
    if finding.decision == .accepted, finding.severity >= .high { entry.accepted += finding.count }
    entries[keyID] = entry
    if entries.count > Self.limit { forgetHalf() }
  }

  /// Takes a row of `keys.csv`.
  mutating func add(_ row: KeyRow) {
    entries[row.keyID]?.row = row
  }

  /// The worst keys, by accepted abuse, then severity, then number of findings.
  var worst: [Entry] { Array(ranked().prefix(Self.shown)) }

  private func ranked() -> [Entry] {
    entries.values.sorted { a, b in
      if a.accepted != b.accepted { return a.accepted > b.accepted }
      if a.worst != b.worst { return a.worst > b.worst }
      if a.findings != b.findings { return a.findings > b.findings }
      return a.keyID < b.keyID
    }
  }

  private mutating func forgetHalf() {
    entries = [Digest256: Entry](
      uniqueKeysWithValues: ranked().prefix(Self.limit / 2).map { ($0.keyID, $0) })
  }
}
