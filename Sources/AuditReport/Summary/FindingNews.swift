package import AppAttest
package import AuditEngine

/// The new findings of a run: their number, and the first of the worst. They still stood, and no
/// earlier run reported them with such a severity.
package struct FindingNews: Sendable, Equatable {
  /// A finding, as far as the printed block shows it.
  package struct Leading: Sendable, Equatable {
    package var severity: Severity
    package var code: FindingCode
    /// The time, in milliseconds since 1970, UTC.
    package var time: Int64?
    package var keyID: Digest256?
    /// The name of the source, unchanged. Files can have any name.
    package var source: String
    /// The number of the line, or 0 for findings about a stream.
    package var line: UInt64
    package var fingerprint: UInt64
  }

  /// The row that counts for a fingerprint.
  private struct Counted: Equatable {
    var severity: Severity
    var code: FindingCode
    var keyID: Digest256?
  }

  /// The largest number of findings in ``leading``, and of those of one key.
  package static let leadingLimit = 10
  package static let leadingOfKey = 3

  /// The largest number of fingerprints that are compared. Beyond it, each row counts.
  private static let comparedLimit = 1 << 16

  /// The numbers of findings by `Severity.rawValue`.
  package private(set) var bySeverity = [UInt64](repeating: 0, count: Severity.allCases.count)
  /// The numbers of findings by `FindingCode.rawValue`.
  package private(set) var byCode = [UInt64](repeating: 0, count: FindingCode.allCases.count)
  /// The numbers of rows by `Severity.rawValue` and by `FindingCode.rawValue`. Several rows can be one finding.
  private(set) var rowsBySeverity = [UInt64](repeating: 0, count: Severity.allCases.count)
  private(set) var rowsByCode = [UInt64](repeating: 0, count: FindingCode.allCases.count)
  /// The most severe row of each fingerprint, or nil if each row counts.
  private var compared: [UInt64: Counted]?
  /// The first findings of each severity, by `Severity.rawValue`.
  private var first = [[Leading]](repeating: [], count: Severity.allCases.count)
  /// The numbers of findings by key.
  private var byKey = Top<Digest256?, UInt64>(limit: 1 << 15)

  /// - Parameter isDistinct: Whether rows with one fingerprint count once, as for what is new (detection.R67).
  package init(isDistinct: Bool = false) { compared = isDistinct ? [:] : nil }

  package var count: UInt64 { bySeverity.reduce(0, +) }
  var rowCount: UInt64 { rowsBySeverity.reduce(0, +) }

  /// The first of the most severe findings, a few of each key, in the order of the reports.
  package var leading: [Leading] { Array(first.reversed().joined().prefix(Self.leadingLimit)) }

  /// Returns the number of findings of a key, or of those without one, or nil if it was not counted.
  package func count(of keyID: Digest256?) -> UInt64? { byKey[keyID] }

  /// Takes a new finding. Findings come in the order of the reports.
  mutating func add(_ finding: Finding, sources: SourceNames) {
    let severity = Int(finding.severity.rawValue)
    rowsBySeverity[severity] += 1
    rowsByCode[Int(finding.code.rawValue)] += 1
    guard isWorst(finding) else { return }
    bySeverity[severity] += 1
    byCode[Int(finding.code.rawValue)] += 1
    byKey.update(finding.keyID, from: 0) { $0 += 1 }
    guard first[severity].count < Self.leadingLimit,
      first[severity].count(where: { $0.keyID == finding.keyID }) < Self.leadingOfKey
    else { return }
    first[severity].append(
      Leading(
        severity: finding.severity, code: finding.code, time: finding.time, keyID: finding.keyID,
        source: sources[finding.position.source], line: finding.position.line,
        fingerprint: finding.fingerprint))
  }

  /// Returns whether no row with the fingerprint was as severe. A less severe one does not count any more.
  private mutating func isWorst(_ finding: Finding) -> Bool {
    guard let known = compared else { return true }
    if let earlier = known[finding.fingerprint] {
      guard finding.severity > earlier.severity else { return false }
      let severity = Int(earlier.severity.rawValue)
      bySeverity[severity] -= 1
      byCode[Int(earlier.code.rawValue)] -= 1
      byKey.update(earlier.keyID, from: 1) { $0 -= 1 }
      first[severity].removeAll { $0.fingerprint == finding.fingerprint }
    } else if known.count >= Self.comparedLimit {
      return true
    }
    compared?[finding.fingerprint] = Counted(
      severity: finding.severity, code: finding.code, keyID: finding.keyID)
    return true
  }
}
