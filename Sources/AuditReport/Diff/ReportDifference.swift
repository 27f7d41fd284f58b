package import AuditEngine

package struct ReportDifference {
  package enum Change: String, Sendable, CaseIterable {
    case new
    case moreSevere = "more severe"
    case lessSevere = "less severe"
    case gone
  }

  package struct Entry {
    package var change: Change
    package var finding: Finding
    package var source: String
    /// The highest severity in the earlier report, if it is another one.
    package var earlier: Severity?
    /// The line of `findings.jsonl`, unchanged.
    package var line: ArraySlice<UInt8>
  }

  private let earlier: StoredReport
  private let later: StoredReport
  /// The number of differences, by change. It is complete once ``compare(_:)`` has returned.
  package private(set) var counts: [Change: UInt64] = [:]
  /// The number of findings that both reports have with the same severity.
  package private(set) var same: UInt64 = 0

  package init(earlier: StoredReport, later: StoredReport) {
    self.earlier = earlier
    self.later = later
  }

  /// Calls `body` with new, more and less severe, then gone findings. Each fingerprint counts once, at its worst.
  package mutating func compare(_ body: (Entry) throws -> Void) throws {
    let (before, after) = (try Self.severities(of: earlier), try Self.severities(of: later))
    var told = Set<UInt64>()
    try later.forEachFinding { stored, line in
      let finding = stored.finding
      let was = before[finding.fingerprint]
      guard after[finding.fingerprint] == finding.severity, was != finding.severity,
        told.insert(finding.fingerprint).inserted
      else { return }
      let change: Change = was.map { $0 < finding.severity ? .moreSevere : .lessSevere } ?? .new
      counts[change, default: 0] += 1
      try body(
        Entry(change: change, finding: finding, source: stored.source, earlier: was, line: line))
    }
    same = UInt64(after.count - told.count)
    told = []
    try earlier.forEachFinding { stored, line in
      let finding = stored.finding
      guard after[finding.fingerprint] == nil, before[finding.fingerprint] == finding.severity,
        told.insert(finding.fingerprint).inserted
      else { return }
      counts[.gone, default: 0] += 1
      try body(
        Entry(change: .gone, finding: finding, source: stored.source, earlier: nil, line: line))
    }
  }

  private static func severities(of report: StoredReport) throws -> [UInt64: Severity] {
    var severities: [UInt64: Severity] = [:]
    try report.forEachFinding { stored, _ in
      let finding = stored.finding
      severities[finding.fingerprint] = max(
        severities[finding.fingerprint] ?? .info, finding.severity)
    }
    return severities
  }
}

extension ReportDifference.Entry {
  /// The difference as a line of JSON Lines: its own members, then those of the finding.
  package var json: String {
    let severity = earlier.map { ",\"earlier_severity\":\"\($0.name)\"" } ?? ""
    return "{\"change\":\"\(change.rawValue)\"\(severity),"
      + String(decoding: line.dropFirst(), as: UTF8.self) + "\n"
  }
}
