internal import AppAttest
package import AuditEngine
internal import Basics

/// The short block of text after a run: why it is partial, findings, new ones, totals.
package struct SummaryBlock {
  private let result: any AuditResult
  private let totals: AuditTotals
  private let review: FindingReview
  private var news: FindingNews { review.news }
  /// The reasons for which the audit is partial that no finding has, one line each.
  private let reasons: [String]
  private let unconfigured: String?
  private let report: String?
  private let onlyNew: Bool
  private let coloured: Bool

  package init(
    _ result: any AuditResult, _ review: FindingReview, reasons: [String] = [],
    unconfigured: String? = nil, report: String?,
    onlyNew: Bool = false, coloured: Bool
  ) {
    self.result = result
    totals = result.totals
    self.review = review
    self.reasons = reasons
    self.unconfigured = unconfigured
    self.report = report
    self.onlyNew = onlyNew
    self.coloured = coloured
  }

  package var text: String {
    // Causes come before the findings that follow from them.
    let causes =
      ([unconfigured].compactMap(\.self)
      + result.likelyCauses.map { "\($0.evidence) \($0.action)" })
      .map { "likely cause: " + PrintableText.beginning($0, limit: 400) }
    var lines = partial + [headline] + causes + grave + leading + counts
    lines.append("keys     " + keys)
    lines.append("records  " + records)
    if !totals.accepted.isEmpty {
      lines.append(
        "accepted " + SummaryNumber.counted(totals.acceptedFindings, "finding") + " by "
          + SummaryNumber.counted(totals.accepted.count, "entry", "entries"))
    }
    lines += withdrawn
    lines.append("inputs   " + inputStates)
    if let report { lines.append("report   " + report) }
    return lines.joined(separator: "\n") + "\n"
  }

  private var keys: String {
    let parts = totals.keyParts
    return parts.isEmpty ? "none" : parts.joined(separator: ", ")
  }

  private var records: String {
    var parts = [
      SummaryNumber.counted(totals.attestations, "attestation"),
      SummaryNumber.counted(totals.assertions, "assertion"),
      SummaryNumber.counted(totals.challenges, "challenge"),
    ]
    if totals.deviceCheckTokens > 0 {
      parts.append(SummaryNumber.counted(totals.deviceCheckTokens, "DeviceCheck token"))
    }
    for (count, words) in [
      (totals.items, "more in lines with several records"), (totals.known, "read before"),
      (totals.skipped, "skipped"),
      (totals.notAudited, "not audited"),
      (totals.unreadable, "unreadable"),
    ] where count > 0 {
      parts.append("\(SummaryNumber.grouped(count)) \(words)")
    }
    return parts.joined(separator: ", ")
  }

  private var inputStates: String {
    let inputs = result.inputs
    let statuses: [InputRow.Status] = [
      .duplicate, .truncated, .corrupt, .unreadable, .known, .waiting,
    ]
    let counts =
      statuses.map { status in (inputs.count { $0.status == status }, status.rawValue) }
      + [(inputs.count { $0.isGrown && $0.lines > $0.knownLines }, "grown")]
    return
      ([SummaryNumber.counted(inputs.count, "file")]
      + counts.filter { $0.0 > 0 }.map { "\($0) \($1)" }).joined(separator: ", ")
  }

  /// The reasons for which the audit is partial, the first of them, one line each.
  private var partial: [String] {
    var lines = Array(reasons.prefix(LeadingFindings.limit))
    lines += review.damages.map { damage in
      "\(PrintableText.line(damage.source, limit: Self.sourceLimit)): "
        + PrintableText.beginning(damage.finding.detail, limit: Self.detailLimit)
    }
    let others = UInt64(reasons.count) + review.damageCount - UInt64(lines.count)
    if others > 0 { lines.append("and \(SummaryNumber.grouped(others)) more") }
    return lines
  }

  private static let sourceLimit = 60
  private static let detailLimit = 200
  /// The column in which the counts begin, from the left, and the width of the first of two.
  private static let firstColumn = 42
  private static let columnWidth = 12
  private static let keyDigits = 16

  private func paint(_ severity: Severity, to width: Int) -> String {
    let word = severity.name.padded(to: width)
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

  // MARK: Findings

  private var headline: String {
    guard review.hasState else {
      return totals.findings == 0
        ? (totals.hasNoRecords && totals.known == 0 ? "nothing was audited" : "no findings")
        : SummaryNumber.counted(totals.findings, "finding")
    }
    let new = news.count == 0 ? "no new findings" : SummaryNumber.counted(news.count, "new finding")
    // Totals that others have counted may be less than what there is.
    let known = max(totals.findings, news.rowCount) - news.rowCount
    return onlyNew || known == 0 ? new : "\(new), \(SummaryNumber.grouped(known)) already reported"
  }

  /// The first sentence of the page, if there are severe findings.
  private var grave: [String] {
    let isPartial = totals.notAudited > 0 || result.inputs.contains(where: \.status.isTrouble)
    let grave = onlyNew ? review.newGrave : review.grave
    guard let sentence = grave.sentence(isPartial: isPartial) else { return [] }
    let isPartlyNew = review.hasState && !onlyNew && grave.new > 0 && grave.new < grave.accepted
    return [sentence + (isPartlyNew ? ", \(grave.new) of them with new findings" : "")]
  }

  /// The lines for the first of the most severe findings, grouped by key: of those already reported if none is new.
  private var leading: [String] {
    let news = onlyNew || news.count > 0 ? news : review.reported
    let findings = news.leading
    let width = findings.map(\.finding.code.name.count).max() ?? 0
    var keys: [Digest256?] = []
    for keyID in findings.map(\.finding.keyID) where !keys.contains(keyID) { keys.append(keyID) }
    var lines: [String] = []
    for keyID in keys {
      let name = keyID.map { "key " + $0.hex.prefix(Self.keyDigits) } ?? "without a key"
      let shown = findings.filter { $0.finding.keyID == keyID }
      let count = news.count(of: keyID).map { count in
        ", " + SummaryNumber.counted(count, "finding")
          + (count > shown.count ? ", \(shown.count) shown" : "")
      }
      lines.append("  " + name + (count ?? ""))
      for finding in shown {
        // What has no time is about a line or a file: the reason says more.
        let words =
          finding.finding.time.map { CivilTime(milliseconds: $0).text }
          ?? PrintableText.beginning(
            finding.finding.detail, limit: max(24, TextWrap.columns - 17 - width))
        lines += self.lines(of: finding, words, indent: 4, width: width)
      }
    }
    return findings.isEmpty ? [] : lines + more(than: findings, of: news.count)
  }

  /// Returns two lines: severity, code and `words` of a finding, and below them its fingerprint and place.
  private func lines(
    of reported: ReportedFinding, _ words: String, indent: Int, width: Int
  ) -> [String] {
    let finding = reported.finding
    return [
      "".padded(to: indent) + paint(finding.severity, to: 8) + "  "
        + finding.code.name.padded(to: width) + "  " + words,
      "".padded(to: indent + 10) + Fingerprint.text(finding.fingerprint) + "  "
        + PrintableText.place(
          reported.source, line: finding.position.line, limit: Self.sourceLimit),
    ]
  }

  private func more(than named: [ReportedFinding], of count: UInt64) -> [String] {
    let others = count - min(count, UInt64(named.count))
    return others > 0 ? ["  and \(SummaryNumber.grouped(others)) more"] : []
  }

  /// The number of withdrawn findings, and for each of the first the finding and the reason.
  private var withdrawn: [String] {
    let count = result.closedCount
    guard review.hasState, count > 0 else { return [] }
    let named = review.withdrawn.list
    let width = named.map(\.finding.code.name.count).max() ?? 0
    return ["withdrawn " + SummaryNumber.counted(count, "earlier finding")]
      + named.flatMap { finding in
        let key = finding.finding.keyID.map { "key " + $0.hex.prefix(Self.keyDigits) } ?? "no key"
        return lines(of: finding, key, indent: 2, width: width)
          + ["".padded(to: 12) + finding.finding.detail]
      } + more(than: named, of: count)
  }

  /// The counts, a line for each severity and code, with a state the new ones beside those reported before.
  private var counts: [String] {
    let isSplit = review.hasState && !onlyNew
    let isOfNew = review.hasState && onlyNew
    let bySeverity = isOfNew ? news.bySeverity : totals.findingsBySeverity
    let byCode = isOfNew ? news.byCode : totals.findingsByCode
    func columns(_ all: UInt64, _ new: UInt64, _ rows: UInt64) -> String {
      isSplit
        ? SummaryNumber.grouped(new).padded(to: Self.columnWidth)
          + SummaryNumber.grouped(max(all, rows) - rows)
        : SummaryNumber.grouped(all)
    }
    let head = "".padded(to: Self.firstColumn) + "new".padded(to: Self.columnWidth)
    var lines = isSplit && totals.findings > 0 ? [head + "already reported"] : []
    for severity in Severity.allCases.reversed() {
      let index = Int(severity.rawValue)
      guard bySeverity[index] > 0 else { continue }
      lines.append(
        "  " + paint(severity, to: isSplit ? Self.firstColumn - 2 : 11)
          + columns(bySeverity[index], news.bySeverity[index], news.rowsBySeverity[index]))
    }
    for code in worstFirst(byCode) {
      let index = Int(code.rawValue)
      lines.append(
        "    " + code.name.padded(to: Self.firstColumn - 4)
          + columns(byCode[index], news.byCode[index], news.rowsByCode[index]))
    }
    return lines
  }

  /// Returns the codes that occur: the most severe first, of those the most frequent, then by name.
  private func worstFirst(_ counts: [UInt64]) -> [FindingCode] {
    FindingCode.allCases.filter { counts[Int($0.rawValue)] > 0 }.sorted { left, right in
      let (a, b) = (Int(left.rawValue), Int(right.rawValue))
      let first = totals.worstByCode[a] ?? left.defaultSeverity
      let second = totals.worstByCode[b] ?? right.defaultSeverity
      if first != second { return first > second }
      return counts[a] != counts[b] ? counts[a] > counts[b] : a < b
    }
  }
}

extension AuditTotals {
  /// The numbers of keys by status, as in `3 attested`.
  var keyParts: [String] {
    zip(KeyStatus.allCases, keys).filter { $0.1 > 0 }.map {
      "\(SummaryNumber.grouped($1)) \($0.name)"
    }
  }
}

package enum SummaryNumber {
  /// Returns a number with a comma between groups of three digits.
  package static func grouped(_ value: UInt64) -> String {
    let digits = Array(String(value))
    return digits.indices.map { index in
      let isStart = index > 0 && (digits.count - index).isMultiple(of: 3)
      return (isStart ? "," : "") + String(digits[index])
    }.joined()
  }

  /// Returns a number and its noun, which has an `s` unless the number is 1 or there is another plural.
  package static func counted(
    _ count: some BinaryInteger, _ noun: String, _ plural: String? = nil
  ) -> String {
    "\(grouped(UInt64(count.magnitude))) \(count == 1 ? noun : plural ?? noun + "s")"
  }
}
