internal import AppAttest
internal import AuditEngine
internal import AuditLog

/// Findings by code, with the numbers that the server accepted.
struct PageCodes {
  struct Entry {
    var findings: UInt64 = 0
    /// The numbers of records, by `Decision.rawValue`.
    var records = [UInt64](repeating: 0, count: 3)
    var new: UInt64 = 0
    var worst = Severity.info
  }

  private(set) var entries = [Entry](repeating: Entry(), count: FindingCode.allCases.count)
  private(set) var grave = GraveRequests()
  private(set) var new: UInt64 = 0

  mutating func add(_ finding: Finding, isNew: Bool) {
    let index = Int(finding.code.rawValue)
    let decision = Int(finding.decision.rawValue)
    entries[index].findings += 1
    entries[index].records[decision] += finding.count
    entries[index].worst = max(entries[index].worst, finding.severity)
    if isNew {
      entries[index].new += 1
      new += 1
    }
    grave.add(finding, isNew: isNew)
  }

  /// The codes that were found, the most severe first.
  var found: [(code: FindingCode, entry: Entry)] {
    FindingCode.allCases.map { ($0, entries[Int($0.rawValue)]) }
      .filter { $0.entry.findings > 0 }
      .sorted { a, b in
        if a.entry.worst != b.entry.worst { return a.entry.worst > b.entry.worst }
        let (left, right) = (a.entry.records[1], b.entry.records[1])
        return left != right ? left > right : a.code.rawValue < b.code.rawValue
      }
  }
}
