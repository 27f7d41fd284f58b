internal import AppAttest
internal import AuditEngine
internal import AuditLog

/// clientDataHashes that were used under several keys, counted in bounded memory.
struct PageChallenges {
  /// The counts for one hash.
  struct Entry {
    var hash: [UInt8]
    /// The first hex digits of the keys that used it.
    var keys: Set<String> = []
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
  /// The number of hex digits by which the sentence of a finding names the other key.
  private static let digits = 16

  private var entries: [[UInt8]: Entry] = [:]
  /// True where hashes came when the table was full.
  private(set) var isFull = false

  /// The number of hashes that were counted.
  var count: UInt64 { UInt64(entries.count) }

  /// Takes a finding.
  mutating func add(_ finding: Finding) {
    guard finding.code == .replayCrossKey, !finding.clientDataHash.isEmpty else { return }
    let hash = finding.clientDataHash
    guard entries[hash] != nil || entries.count < Self.limit else {
      isFull = true
      return
    }
    var entry = entries[hash] ?? Entry(hash: hash)
    if entry.keys.count < Self.keyLimit { Self.add(keysOf: finding, to: &entry.keys) }
    entry.records += finding.count
    if finding.decision == .accepted { entry.accepted += finding.count }
    if let time = finding.time {
      entry.first = min(entry.first ?? time, time)
      entry.last = max(entry.last ?? time, time)
    }
    entries[hash] = entry
  }

  /// Adds the keys that a finding names, up to the largest number.
  private static func add(keysOf finding: Finding, to keys: inout Set<String>) {
    if let own = finding.keyID { keys.insert(String(own.hex.prefix(digits))) }
    if keys.count < keyLimit, let other = otherKey(finding.detail) { keys.insert(other) }
  }

  /// Returns the key that a sentence names as "another key", or nil if there is none.
  private static func otherKey(_ detail: String) -> String? {
    let text = Array(detail.utf8)
    guard let mark = text.firstRange(of: Array("another key ".utf8)) else { return nil }
    let key = text[mark.upperBound...].prefix { Character(Unicode.Scalar($0)).isHexDigit }
    return key.count == digits ? String(decoding: key, as: UTF8.self) : nil
  }

  /// The hashes with the most accepted records, then with the most keys.
  var worst: [Entry] {
    Array(
      entries.values.sorted { a, b in
        if a.accepted != b.accepted { return a.accepted > b.accepted }
        if a.keys.count != b.keys.count { return a.keys.count > b.keys.count }
        return a.hash.lexicographicallyPrecedes(b.hash)
      }.prefix(Self.shown))
  }
}
