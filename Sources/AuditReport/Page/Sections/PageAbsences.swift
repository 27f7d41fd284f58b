internal import AuditEngine

/// The findings about unknown keys and challenges, by hour. A missing log would explain them.
struct PageAbsences {
  /// The largest number of hours that are counted.
  private static let limit = 8_192
  private static let hour: Int64 = 3_600_000

  private var counts: [Int64: UInt64] = [:]

  /// Takes a finding.
  mutating func add(_ finding: Finding) {
    guard finding.code == .keyUnknown || finding.code == .challengeNotIssued,
      let time = finding.time
    else { return }
    let hour = time / Self.hour - (time % Self.hour < 0 ? 1 : 0)
    guard counts[hour] != nil || counts.count < Self.limit else { return }
    counts[hour, default: 0] += 1
  }

  /// Returns the number of findings between two times, in milliseconds since 1970, each a whole
  /// hour.
  func count(from: Int64, to: Int64) -> UInt64 {
    counts.reduce(0) { sum, entry in
      entry.key >= from / Self.hour && entry.key < to / Self.hour ? sum + entry.value : sum
    }
  }
}
