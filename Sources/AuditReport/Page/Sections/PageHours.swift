internal import AuditEngine
internal import AuditLog

/// Findings by time, decision and severity.
struct PageHours {
  /// The largest number of bins that are held.
  static let limit = 4096
  /// The largest number of columns of a strip.
  static let columns = 72

  private(set) var bins = TimeBins(kinds: 3 * Severity.allCases.count, limit: PageHours.limit)
  /// The number of findings without a time.
  private(set) var timeless: UInt64 = 0

  /// Returns the kind of count for a decision and a severity.
  static func kind(_ decision: Decision, _ severity: Severity) -> Int {
    Int(decision.rawValue) * Severity.allCases.count + Int(severity.rawValue)
  }

  /// Takes a finding. The times of the findings ascend.
  mutating func add(_ finding: Finding) {
    guard let time = finding.time else {
      timeless += 1
      return
    }
    bins.add(TimeBins.hour(of: time), Self.kind(finding.decision, finding.severity))
  }

  /// Returns the strip, or nil if no finding has a time.
  func strip() -> TimeBins.Strip? { bins.strip(Self.columns) }
}
