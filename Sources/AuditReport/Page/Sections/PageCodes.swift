internal import AuditEngine
internal import AuditLog

/// Findings by code, with the numbers that the server let through.
struct PageCodes {
  /// The counts for one code.
  struct Entry {
    var findings: UInt64 = 0
    var records = DecisionCounts()
    var new: UInt64 = 0
    var worst = Severity.info
  }

  /// Requests that should have been refused: findings at or above `high`.
  struct Grave {
    var requests = PageRequests()
    /// Those of them that are new.
    var new = PageRequests()
    /// The times of the first and last that the server accepted, in milliseconds since 1970.
    var first: Int64?
    var last: Int64?
  }

  private(set) var entries = [Entry](repeating: Entry(), count: FindingCode.allCases.count)
  private(set) var grave = Grave()
  private(set) var new: UInt64 = 0

  /// Takes a finding.
  mutating func add(_ finding: Finding, isNew: Bool) {
    let index = Int(finding.code.rawValue)
    entries[index].findings += 1
    for decision in [Decision.unknown, .accepted, .rejected] {
      entries[index].records[decision] += finding.count(decision)
    }
    entries[index].worst = max(entries[index].worst, finding.severity)
    if isNew {
      entries[index].new += 1
      new += 1
    }
    guard finding.severity >= .high, finding.code.followsDecision else { return }
    grave.requests.add(finding)
    if isNew { grave.new.add(finding) }
    guard finding.decision == .accepted, let time = finding.time else { return }
    grave.first = min(grave.first ?? time, time)
    grave.last = max(grave.last ?? time, time)
  }

  /// The codes that were found, the gravest first.
  var found: [(code: FindingCode, entry: Entry)] {
    FindingCode.allCases.map { ($0, entries[Int($0.rawValue)]) }
      .filter { $0.entry.findings > 0 }
      .sorted { a, b in
        if a.entry.worst != b.entry.worst { return a.entry.worst > b.entry.worst }
        let (left, right) = (a.entry.records.accepted, b.entry.records.accepted)
        return left != right ? left > right : a.code.rawValue < b.code.rawValue
      }
  }
}
