internal import AuditLog

/// The findings of earlier runs about lines that this run's lines replace, about damaged places that its inputs
/// repair, and about inputs that it reads again: they are withdrawn, unless this run finds them, too.
struct ReplacedFindings {
  private var findings: [Finding] = []
  /// The lines that were replaced, by source: a finding that counts more lines stands for sound ones, too.
  private var replaced: [UInt32: UInt64] = [:]
  /// Those about inputs that were another log (`pipeline.R15`).
  private var reread: [Finding] = []

  /// The fingerprints.
  var fingerprints: Set<UInt64> { Set((findings + reread).map(\.fingerprint)) }

  /// Collects the findings. `history` is nil if the run stands alone.
  init(_ history: RunMemory?, reading sources: [LogSource]) throws(AuditError) {
    guard let history, history.mode == .advance else { return }
    let names = Set(
      sources.compactMap { source in if case .file = source.origin { source.name } else { nil } })
    for source in history.otherLogs where names.contains(history.sourceName(source)) {
      reread += try history.findings.standing(at: source)
    }
    for (source, places) in history.repairedPlaces.sorted(by: { $0.key < $1.key }) {
      let name = history.sourceName(source)
      replaced[source] = UInt64(history.replacedLines[source]?.count ?? 0)
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
      try withdrawals.withdraw(
        replaced: finding, of: replaced[finding.position.source] ?? 0, isSeen: isSeen)
    }
    for finding in reread {
      try withdrawals.withdraw(reread: finding, isSeen: seen.contains(finding.fingerprint))
    }
  }
}
