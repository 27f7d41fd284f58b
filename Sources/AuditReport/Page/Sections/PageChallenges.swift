internal import AppAttest
internal import AuditEngine
internal import AuditLog

/// clientDataHashes that were used under several keys, counted in bounded memory.
struct PageChallenges {
  /// The counts for one hash.
  struct Entry {
    /// The keys that used it.
    var keys: Set<Digest256> = []
    var records: UInt64 = 0
    /// The number of records that the server accepted.
    var accepted: UInt64 = 0
    /// The times of the first and last finding, in milliseconds since 1970.
    var first: Int64?
    var last: Int64?
  }

  /// The largest number of hashes that are counted at once, and of keys of one.
  static let limit = 8_192
  private static let keyLimit = 64
  /// The largest number of hashes that the page lists.
  static let shown = 20

  private var entries = Top<[UInt8], Entry>(limit: PageChallenges.limit)
  /// Whether hashes came when the table was full.
  var isFull: Bool { entries.isFull }

  /// The number of hashes that were counted.
  var count: UInt64 { UInt64(entries.values.count) }

  /// Takes a finding.
  mutating func add(_ finding: Finding) {
    guard finding.code == .replayCrossKey, !finding.clientDataHash.isEmpty else { return }
    let hash = finding.clientDataHash
    entries.update(hash, from: Entry()) { entry in
      for key in [finding.keyID, finding.relatedKeyID] where entry.keys.count < Self.keyLimit {
        if let key { entry.keys.insert(key) }
      }
      entry.records += finding.count
      if finding.decision == .accepted { entry.accepted += finding.count }
      guard let time = finding.time else { return }
      entry.first = min(entry.first ?? time, time)
      entry.last = max(entry.last ?? time, time)
    }
  }

  /// The hashes with the most accepted records, then with the most keys.
  var worst: [(hash: [UInt8], entry: Entry)] {
    entries.first(Self.shown) { left, right in
      let (a, b) = (left.value, right.value)
      if a.accepted != b.accepted { return a.accepted > b.accepted }
      if a.keys.count != b.keys.count { return a.keys.count > b.keys.count }
      return left.key.lexicographicallyPrecedes(right.key)
    }.map { ($0.key, $0.value) }
  }
}
