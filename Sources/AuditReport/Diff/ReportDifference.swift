package import AuditEngine
internal import Basics

/// The difference of two reports: findings by fingerprint.
package struct ReportDifference {
  /// The kind of a difference.
  package enum Change: String, Sendable, CaseIterable {
    /// Only the later report has it.
    case new
    /// Both have it, the later one with a higher severity.
    case moreSevere = "more severe"
    /// Both have it, the later one with a lower severity.
    case lessSevere = "less severe"
    /// Only the earlier report has it.
    case gone
  }

  /// A finding that differs.
  package struct Entry {
    package var change: Change
    package var finding: Finding
    /// The name of the finding's source.
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

  /// Calls `body` with new, more and less severe findings in the later report's order, then with the
  /// gone ones. A fingerprint counts once, at its first place and with its highest severity.
  package mutating func compare(_ body: (Entry) throws -> Void) throws {
    let before = try FindingTable(earlier)
    let after = try FindingTable(later)
    var told = Set<UInt64>()
    try later.forEachFinding { stored, line in
      let finding = stored.finding
      guard after[finding.fingerprint] == finding.severity else { return }
      let was = before[finding.fingerprint]
      guard was != finding.severity else { return }
      let change: Change = was.map { $0 < finding.severity ? .moreSevere : .lessSevere } ?? .new
      guard told.insert(finding.fingerprint).inserted else { return }
      counts[change, default: 0] += 1
      try body(
        Entry(
          change: change, finding: finding, source: stored.source,
          earlier: was, line: line))
    }
    same =
      UInt64(after.count) - counts.values.reduce(0, +)
    told = []
    try earlier.forEachFinding { stored, line in
      let finding = stored.finding
      guard after[finding.fingerprint] == nil, before[finding.fingerprint] == finding.severity,
        told.insert(finding.fingerprint).inserted
      else { return }
      counts[.gone, default: 0] += 1
      try body(
        Entry(
          change: .gone, finding: finding,
          source: stored.source, earlier: nil, line: line))
    }
  }
}

extension ReportDifference.Entry {
  /// The difference as a line of JSON Lines: its own members, then those of the finding.
  package var json: [UInt8] {
    var text = "{\"change\":\"\(change.rawValue)\""
    if let earlier { text += ",\"earlier_severity\":\"\(earlier.name)\"" }
    return Array(text.utf8) + [UInt8(ascii: ",")] + Array(line.dropFirst()) + [0x0A]
  }
}

/// The fingerprints of a report with the highest severity of each, 16 bytes for a finding.
struct FindingTable {
  private struct Entry {
    var fingerprint: UInt64
    var severity: UInt8
  }

  /// The entries in order of the fingerprint, each once.
  private var entries: [Entry] = []

  /// The number of fingerprints.
  var count: Int { entries.count }

  init(_ report: StoredReport) throws {
    try report.forEachFinding { stored, _ in
      entries.append(
        Entry(
          fingerprint: stored.finding.fingerprint, severity: stored.finding.severity.rawValue))
    }
    entries.sort { ($0.fingerprint, $1.severity) < ($1.fingerprint, $0.severity) }
    var kept = 0
    for entry in entries where kept == 0 || entries[kept - 1].fingerprint != entry.fingerprint {
      entries[kept] = entry
      kept += 1
    }
    entries.removeLast(entries.count - kept)
  }

  /// The highest severity of a fingerprint, or nil if the report does not have it.
  subscript(fingerprint: UInt64) -> Severity? {
    let index = entries.indices.searched { entries[$0].fingerprint < fingerprint }
    guard index < entries.count, entries[index].fingerprint == fingerprint else { return nil }
    return Severity(rawValue: entries[index].severity)
  }
}
