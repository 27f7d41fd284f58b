package import AppAttest
internal import AuditEngine

/// The first of the most severe findings.
struct LeadingFindings: Sendable {
  static let limit = 10

  /// The first of each severity, by `Severity.rawValue`.
  private var first = [[ReportedFinding]](repeating: [], count: Severity.allCases.count)

  var list: [ReportedFinding] { Array(first.reversed().joined().prefix(Self.limit)) }

  /// Takes the next finding, unless so many of its key and severity are there.
  mutating func add(_ finding: Finding, _ sources: SourceNames, ofKey most: Int = Self.limit) {
    let severity = Int(finding.severity.rawValue)
    guard first[severity].count < Self.limit,
      first[severity].count(where: { $0.finding.keyID == finding.keyID }) < most
    else { return }
    first[severity].append(ReportedFinding(finding, nil, sources))
  }

  mutating func remove(_ fingerprint: UInt64) {
    for index in first.indices { first[index].removeAll { $0.finding.fingerprint == fingerprint } }
  }
}

/// The numbers of a run's findings, and the first of the worst: of all, or of those that are news.
package struct FindingNews: Sendable {
  private static let leadingOfKey = 3
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
  private var compared: [UInt64: (severity: Severity, code: FindingCode, keyID: Digest256?)]?
  private var first = LeadingFindings()
  private var byKey = Top<Digest256?, UInt64>(limit: 1 << 15)

  /// - Parameter isDistinct: Whether rows with one fingerprint count once, as for what is new (detection.R67).
  init(isDistinct: Bool = false) { compared = isDistinct ? [:] : nil }

  package var count: UInt64 { bySeverity.reduce(0, +) }
  var rowCount: UInt64 { rowsBySeverity.reduce(0, +) }

  /// The first of the most severe findings, a few of each key, in the order of the reports.
  package var leading: [ReportedFinding] { first.list }

  /// Returns the number of findings of a key, or of those without one, or nil if it was not counted.
  package func count(of keyID: Digest256?) -> UInt64? { byKey[keyID] }

  /// Takes the next finding. Findings come in the order of the reports.
  mutating func add(_ finding: Finding, sources: SourceNames) {
    let (severity, code) = (Int(finding.severity.rawValue), Int(finding.code.rawValue))
    rowsBySeverity[severity] += 1
    rowsByCode[code] += 1
    guard isWorst(finding) else { return }
    bySeverity[severity] += 1
    byCode[code] += 1
    byKey.update(finding.keyID, from: 0) { $0 += 1 }
    first.add(finding, sources, ofKey: Self.leadingOfKey)
  }

  /// Returns whether no row with the fingerprint was as severe. A less severe one does not count any more.
  private mutating func isWorst(_ finding: Finding) -> Bool {
    guard let known = compared else { return true }
    if let earlier = known[finding.fingerprint] {
      guard finding.severity > earlier.severity else { return false }
      bySeverity[Int(earlier.severity.rawValue)] -= 1
      byCode[Int(earlier.code.rawValue)] -= 1
      byKey.update(earlier.keyID, from: 1) { $0 -= 1 }
      first.remove(finding.fingerprint)
    } else if known.count >= Self.comparedLimit {
      return true
    }
    compared?[finding.fingerprint] = (finding.severity, finding.code, finding.keyID)
    return true
  }
}
