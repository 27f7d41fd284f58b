internal import AuditLog
internal import Files

/// The findings of earlier runs about lines that this run's lines replace, about damaged places that its inputs
/// repair, and about inputs that it reads again: they are withdrawn, unless this run finds them, too.
struct ReplacedFindings {
  private var findings: [Finding] = []
  /// The numbers of repaired places by fingerprint, and of replaced lines by the names of files.
  private var repaired: [UInt64: UInt64] = [:]
  private var replaced: [String: UInt64] = [:]
  /// Those about inputs that were another log (`pipeline.R15`).
  private var reread: [Finding] = []
  private var names: @Sendable (UInt32) -> String = { _ in "" }

  var fingerprints: Set<UInt64> { Set((findings + reread).map(\.fingerprint)) }

  /// Collects the findings. `history` is nil if the run stands alone.
  init(_ history: RunMemory?, reading sources: [LogSource]) throws(AuditError) {
    guard let history, history.mode == .advance else { return }
    let present = Set(
      sources.compactMap { source in if case .file = source.origin { source.name } else { nil } })
    for source in history.otherLogs where present.contains(history.sourceName(source)) {
      // Another log can have the name now. What was found of requests stays until an event explains it (`detection.R24`).
      reread += try history.findings.standing(at: source).filter {
        ["record", "stream"].contains($0.code.entry.family)
      }
    }
    for (source, places) in history.repairedPlaces.sorted(by: { $0.key < $1.key }) {
      let name = history.sourceName(source)
      replaced[PathText.split(name).last, default: 0] += UInt64(
        history.replacedLines[source]?.count ?? 0)
      for place in places {
        let code = FindingCode(place.kind)
        let finding = Finding(
          code, .info, at: Position(source: source, line: 0),
          fingerprint: Fingerprint.stream(code, source: name, byteOffset: place.byteOffset))
        if repaired[finding.fingerprint] == nil { findings.append(finding) }
        repaired[finding.fingerprint, default: 0] += 1
      }
      findings += try history.findings.standing(at: source).filter {
        history.isNewlyReplaced($0.position)
      }
    }
    names = history.sourceName
  }

  private func name(of finding: Finding) -> String {
    PathText.split(names(finding.position.source)).last
  }

  /// Withdraws them, but for those that this run has `seen`, and those that other records stand behind;
  /// to be called before ``Withdrawals/finish()``.
  func withdraw(_ seen: Set<UInt64>, _ withdrawals: Withdrawals) throws(AuditError) {
    for finding in findings {
      // A finding about lines that are not audited counts those of one file.
      let lines = finding.code == .recordNotAudited ? replaced[name(of: finding)] : 1
      try withdrawals.withdraw(
        replaced: finding, of: repaired[finding.fingerprint] ?? lines ?? 1,
        isSeen: seen.contains(finding.fingerprint))
    }
    for finding in reread {
      try withdrawals.withdraw(reread: finding, isSeen: seen.contains(finding.fingerprint))
    }
  }
}
