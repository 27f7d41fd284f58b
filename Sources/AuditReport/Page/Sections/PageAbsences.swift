internal import AuditEngine

/// The findings about unknown keys and challenges, by hour. A missing log would explain them.
struct PageAbsences {
  private static let hour: Int64 = 3_600_000

  private var counts = Top<Int64, UInt64>(limit: 8_192)

  /// Takes a finding.
  mutating func add(_ finding: Finding) {
    guard finding.code == .keyUnknown || finding.code == .challengeNotIssued,
      let time = finding.time
    else { return }
    let hour = time / Self.hour - (time % Self.hour < 0 ? 1 : 0)
    counts.update(hour, from: 0) { $0 += 1 }
  }

  /// Returns the number of findings between two times, in milliseconds since 1970, each a whole
  /// hour.
  func count(from: Int64, to: Int64) -> UInt64 {
    counts.values.reduce(0) { sum, entry in
      entry.key >= from / Self.hour && entry.key < to / Self.hour ? sum + entry.value : sum
    }
  }
}
