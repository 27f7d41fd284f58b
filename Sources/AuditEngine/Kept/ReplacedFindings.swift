internal import AuditLog

/// The findings of earlier runs about lines that this run's lines replace, and about damaged places that its inputs
/// repair: they are withdrawn, unless this run finds them, too.
struct ReplacedFindings {
  private var findings: [Finding] = []

  /// The fingerprints.
  var fingerprints: Set<UInt64> { Set(findings.map(\.fingerprint)) }

  /// Collects the findings. `history` is nil if the run stands alone.
  init(_ history: RunMemory?) throws(AuditError) {
    guard let history, history.mode == .advance else { return }
    for (source, places) in history.repairedPlaces.sorted(by: { $0.key < $1.key }) {
      let name = history.sourceName(source)
      let repaired = Set(
        places.map {
          Fingerprint.stream(FindingCode($0.kind), source: name, byteOffset: $0.byteOffset)
        })
      for finding in try history.findings.standing(at: source) {
        // A stream's finding is at line 0.
        if finding.position.line == 0
          ? repaired.contains(finding.fingerprint) : history.isNewlyReplaced(finding.position)
        {
          findings.append(finding)
        }
      }
    }
  }

  /// Withdraws them, but for those that this run has `seen`, and those that other records stand behind;
  /// to be called before ``Withdrawals/finish()``.
  func withdraw(_ seen: Set<UInt64>, _ withdrawals: Withdrawals) throws(AuditError) {
    for finding in findings {
      let isSeen = seen.contains(finding.fingerprint)
      try withdrawals.withdraw(replaced: finding, isSeen: isSeen)
    }
  }
}
