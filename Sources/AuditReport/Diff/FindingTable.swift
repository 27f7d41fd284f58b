internal import AuditEngine
internal import Basics

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
