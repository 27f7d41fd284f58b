package import AuditEngine

/// The short block of text that a terminal, or a mail from cron, shows after a run.
package struct SummaryBlock {
  /// The facts that a run with a state adds.
  package struct State: Sendable {
    package var news: FindingNews
    /// Whether only new findings are shown.
    package var onlyNew: Bool
    /// The number of findings of earlier runs that no longer stand.
    package var closedCount: UInt64

    package init(news: FindingNews, onlyNew: Bool, closedCount: UInt64) {
      self.news = news
      self.onlyNew = onlyNew
      self.closedCount = closedCount
    }
  }

  /// The reasons for which the audit is partial that no finding has, one line each.
  private let reasons: [String]
  private let inputs: [InputRow]
  let totals: AuditTotals
  private let report: String?
  let state: State?
  /// The findings that are named.
  let overview: FindingOverview
  private let causes: [LikelyCause]
  private let coloured: Bool

  /// Makes the block.
  ///
  /// - `reasons`: the reasons for which the audit is partial that no finding has, one line each.
  /// - `report`: the report folder, or nil if none was asked for.
  /// - `overview`: the findings that were collected in the pass over them.
  /// - `state`: nil if there is no state.
  /// - `causes`: the states of the log that explain findings.
  /// - `coloured`: true to colour severities with ANSI sequences.
  package init(
    reasons: [String] = [], inputs: [InputRow], totals: AuditTotals, report: String?,
    overview: FindingOverview = FindingOverview(), state: State? = nil,
    causes: [LikelyCause] = [], coloured: Bool
  ) {
    self.reasons = reasons
    self.inputs = inputs
    self.totals = totals
    self.report = report
    self.overview = overview
    self.state = state
    self.causes = causes
    self.coloured = coloured
  }

  /// The text of the block, with a newline at its end.
  package var text: String {
    // Causes come before the findings that follow from them.
    let causes = causes.map { cause in
      "likely cause: " + PrintableText.beginning(cause.evidence + " " + cause.action, limit: 400)
    }
    var lines = partial + [headline] + causes + leading + counts
    lines.append("keys     " + keys)
    lines.append("records  " + records)
    if !totals.accepted.isEmpty { lines.append("accepted " + accepted) }
    lines += withdrawn
    lines.append("inputs   " + inputStates)
    if let report { lines.append("report   " + report) }
    return lines.joined(separator: "\n") + "\n"
  }

  private var keys: String {
    let parts = KeyStatus.allCases.compactMap { status -> String? in
      let count = totals.keys[Int(status.rawValue)]
      return count > 0 ? "\(SummaryNumber.grouped(count)) \(status.name)" : nil
    }
    return parts.isEmpty ? "none" : parts.joined(separator: ", ")
  }

  private var records: String {
    var parts = [
      Self.counted(totals.attestations, "attestation", "attestations"),
      Self.counted(totals.assertions, "assertion", "assertions"),
      Self.counted(totals.challenges, "challenge", "challenges"),
    ]
    if totals.deviceCheckTokens > 0 {
      parts.append(
        Self.counted(totals.deviceCheckTokens, "DeviceCheck token", "DeviceCheck tokens"))
    }
    if totals.known > 0 { parts.append("\(SummaryNumber.grouped(totals.known)) read before") }
    if totals.skipped > 0 { parts.append("\(SummaryNumber.grouped(totals.skipped)) skipped") }
    if totals.notAudited > 0 {
      parts.append(
        "\(SummaryNumber.grouped(totals.notAudited)) not audited though "
          + "\(totals.notAudited == 1 ? "it contains" : "they contain") App Attest tokens")
    }
    if totals.unreadable > 0 {
      parts.append("\(SummaryNumber.grouped(totals.unreadable)) unreadable")
    }
    return parts.joined(separator: ", ")
  }

  private var accepted: String {
    let entries = UInt64(totals.accepted.count)
    return Self.counted(totals.acceptedFindings, "finding", "findings")
      + " by " + Self.counted(entries, "entry", "entries")
  }

  private var inputStates: String {
    var parts = [Self.counted(UInt64(inputs.count), "file", "files")]
    for status in [InputRow.Status.duplicate, .truncated, .corrupt, .unreadable, .known, .waiting] {
      let count = inputs.count { $0.status == status }
      if count > 0 { parts.append("\(count) \(status.rawValue)") }
    }
    let grown = inputs.count(where: \.isGrown)
    if grown > 0 { parts.append("\(grown) grown") }
    return parts.joined(separator: ", ")
  }

  /// The reasons for which the audit is partial, the first of them, one line each.
  private var partial: [String] {
    var lines = Array(reasons.prefix(FindingNews.leadingLimit))
    lines += overview.damages.map { damage in
      "\(PrintableText.line(damage.source, limit: Self.sourceLimit)): "
        + PrintableText.beginning(damage.detail, limit: Self.detailLimit)
    }
    let others =
      UInt64(reasons.count) + overview.damageCount - UInt64(lines.count)
    if others > 0 { lines.append("and \(SummaryNumber.grouped(others)) more") }
    return lines
  }

  /// The largest number of characters of a source's name.
  static let sourceLimit = 60
  /// The largest number of characters of a sentence.
  private static let detailLimit = 200

  /// Returns a severity's name in its colour.
  func paint(_ word: String, _ severity: Severity) -> String {
    guard coloured else { return word }
    let colour =
      switch severity {
      case .critical: "1;31"
      case .high: "31"
      case .medium: "33"
      case .low: "36"
      case .info: "2"
      }
    return "\u{1B}[\(colour)m\(word)\u{1B}[0m"
  }

  /// Returns a number and the noun for it.
  static func counted(_ count: UInt64, _ one: String, _ many: String) -> String {
    "\(SummaryNumber.grouped(count)) \(count == 1 ? one : many)"
  }
}
