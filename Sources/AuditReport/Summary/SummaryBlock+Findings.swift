internal import AppAttest
internal import AuditEngine
internal import Basics

/// The findings of the block: their numbers, and with a state the worst of the new ones.
extension SummaryBlock {
  /// The columns in which the counts begin, from the left.
  private static let firstColumn = 42
  private static let secondColumn = 54
  /// The number of hex digits that are shown of a key identifier.
  private static let keyDigits = 16

  var headline: String {
    guard let state else {
      return totals.findings == 0
        ? "no findings" : Self.counted(totals.findings, "finding", "findings")
    }
    let new =
      state.news.count == 0
      ? "no new findings" : Self.counted(state.news.count, "new finding", "new findings")
    // Totals that others have counted may be less than what there is.
    let known = max(totals.findings, state.news.rowCount) - state.news.rowCount
    return state.onlyNew || known == 0
      ? new : "\(new), \(SummaryNumber.grouped(known)) already reported"
  }

  /// The lines for the first of the most severe findings, grouped by key.
  var leading: [String] {
    let news = state?.news ?? overview.findings
    let findings = news.leading
    let width = findings.reduce(0) { max($0, $1.code.name.count) }
    var keys: [Digest256?] = []
    for finding in findings where !keys.contains(finding.keyID) { keys.append(finding.keyID) }
    var lines: [String] = []
    for keyID in keys {
      let name = keyID.map { "key " + $0.hex.prefix(Self.keyDigits) } ?? "without a key"
      let count = news.count(of: keyID).map { ", " + Self.counted($0, "finding", "findings") } ?? ""
      lines.append("  " + name + count)
      for finding in findings where finding.keyID == keyID {
        let time = finding.time.map { CivilTime(milliseconds: $0).text } ?? "no time"
        lines += [
          "    " + paint(finding.severity.name.padded(to: 8), finding.severity) + "  "
            + finding.code.name.padded(to: width) + "  " + time,
          Self.place(4, finding.fingerprint, finding.source, finding.line),
        ]
      }
    }
    let others = news.count - min(news.count, UInt64(findings.count))
    if others > 0, !findings.isEmpty {
      lines.append("  and \(SummaryNumber.grouped(others)) more")
    }
    return lines
  }

  /// Returns the line with the fingerprint and the place of a finding, below its code.
  private static func place(
    _ indent: Int, _ fingerprint: UInt64, _ source: String, _ line: UInt64
  ) -> String {
    "".padded(to: indent + 10) + Fingerprint.text(fingerprint) + "  "
      + PrintableText.place(source, line: line, limit: sourceLimit)
  }

  /// The number of findings of earlier runs that the run withdraws, and three lines for each of the
  /// first of the worst: the finding, and the reason.
  var withdrawn: [String] {
    guard let state, state.closedCount > 0 else { return [] }
    let named = overview.withdrawn
    var lines = [
      "withdrawn " + Self.counted(state.closedCount, "earlier finding", "earlier findings")
    ]
    let width = named.reduce(0) { max($0, $1.code.name.count) }
    for finding in named {
      let key = finding.keyID.map { "key " + $0.hex.prefix(Self.keyDigits) } ?? "no key"
      lines += [
        "  " + paint(finding.severity.name.padded(to: 8), finding.severity) + "  "
          + finding.code.name.padded(to: width) + "  " + key,
        Self.place(2, finding.fingerprint, finding.source, finding.line),
        "".padded(to: 12) + finding.reason,
      ]
    }
    let others = state.closedCount - min(UInt64(named.count), state.closedCount)
    if others > 0 { lines.append("  and \(SummaryNumber.grouped(others)) more") }
    return lines
  }

  /// The lines with the counts, one for each severity and one for each code.
  var counts: [String] {
    guard let state else {
      return oneColumn(totals.findingsBySeverity, totals.findingsByCode)
    }
    guard !state.onlyNew else { return oneColumn(state.news.bySeverity, state.news.byCode) }
    return twoColumns(state.news)
  }

  private func oneColumn(_ bySeverity: [UInt64], _ byCode: [UInt64]) -> [String] {
    var lines: [String] = []
    for severity in Severity.allCases.reversed() {
      let count = bySeverity[Int(severity.rawValue)]
      guard count > 0 else { continue }
      lines.append(
        "  \(paint(severity.name.padded(to: 10), severity)) \(SummaryNumber.grouped(count))")
    }
    for code in worstFirst(byCode) {
      let count = byCode[Int(code.rawValue)]
      lines.append("    " + code.name.padded(to: 37) + " " + SummaryNumber.grouped(count))
    }
    return lines
  }

  /// Returns the numbers of new findings beside those already reported.
  private func twoColumns(_ news: FindingNews) -> [String] {
    guard totals.findings > 0 else { return [] }
    func columns(_ new: UInt64, _ rows: UInt64, _ all: UInt64) -> String {
      SummaryNumber.grouped(new).padded(to: Self.secondColumn - Self.firstColumn)
        + SummaryNumber.grouped(max(all, rows) - rows)
    }
    let gap = String(repeating: " ", count: Self.firstColumn)
    var lines = [gap + "new".padded(to: Self.secondColumn - Self.firstColumn) + "already reported"]
    for severity in Severity.allCases.reversed() {
      let index = Int(severity.rawValue)
      guard totals.findingsBySeverity[index] > 0 else { continue }
      lines.append(
        "  " + paint(severity.name.padded(to: Self.firstColumn - 2), severity)
          + columns(
            news.bySeverity[index], news.rowsBySeverity[index], totals.findingsBySeverity[index]))
    }
    for code in worstFirst(totals.findingsByCode) {
      let index = Int(code.rawValue)
      lines.append(
        "    " + code.name.padded(to: Self.firstColumn - 4)
          + columns(news.byCode[index], news.rowsByCode[index], totals.findingsByCode[index]))
    }
    return lines
  }

  /// Returns the codes that occur: the most severe first, of those the most frequent, then by name.
  private func worstFirst(_ counts: [UInt64]) -> [FindingCode] {
    func severity(_ code: FindingCode) -> Severity {
      totals.worstByCode[Int(code.rawValue)] ?? code.defaultSeverity
    }
    return FindingCode.allCases.filter { counts[Int($0.rawValue)] > 0 }.sorted { left, right in
      let (first, second) = (severity(left), severity(right))
      if first != second { return first > second }
      let (more, less) = (counts[Int(left.rawValue)], counts[Int(right.rawValue)])
      return more != less ? more > less : left.rawValue < right.rawValue
    }
  }
}
