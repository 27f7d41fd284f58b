package import AppAttest
package import AuditEngine

/// The new findings of a run: their number, and the first of the worst. They still stood, and no
/// earlier run reported them with such a severity.
package struct FindingNews: Sendable, Equatable {
  /// A new finding of severity `critical` or `high`, as far as the printed block shows it.
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
  }

  /// The largest number of findings in ``leading``.
  package static let leadingLimit = 10

  /// The numbers of findings by `Severity.rawValue`.
  package private(set) var bySeverity = [UInt64](repeating: 0, count: Severity.allCases.count)
  /// The numbers of findings by `FindingCode.rawValue`.
  package private(set) var byCode = [UInt64](repeating: 0, count: FindingCode.allCases.count)
  private var critical: [Leading] = []
  private var high: [Leading] = []

  package init() {}

  package var count: UInt64 { bySeverity.reduce(0, +) }

  /// The first critical ones, then the first high ones, in the order of the reports.
  package var leading: [Leading] { Array((critical + high).prefix(Self.leadingLimit)) }

  /// The number of critical and high findings that are not in ``leading``.
  package var notLeading: UInt64 {
    bySeverity[Int(Severity.critical.rawValue)] + bySeverity[Int(Severity.high.rawValue)]
      - UInt64(leading.count)
  }

  /// Takes a new finding. Findings come in the order of the reports.
  mutating func add(_ finding: Finding, sources: SourceNames) {
    bySeverity[Int(finding.severity.rawValue)] += 1
    byCode[Int(finding.code.rawValue)] += 1
    switch finding.severity {
    case .critical: Self.append(finding, sources, to: &critical)
    case .high: Self.append(finding, sources, to: &high)
    case .medium, .low, .info: break
    }
  }

  private static func append(
    _ finding: Finding, _ sources: SourceNames, to list: inout [Leading]
  ) {
    guard list.count < leadingLimit else { return }
    list.append(
      Leading(
        severity: finding.severity, code: finding.code, time: finding.time, keyID: finding.keyID,
        source: sources[finding.position.source], line: finding.position.line))
  }
}
