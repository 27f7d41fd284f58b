package import AuditEngine

/// The short block of text that a terminal, or a mail from cron, shows after a run.
package struct SummaryBlock {
  private let inputs: [InputRow]
  private let totals: AuditTotals
  private let report: String?
  private let coloured: Bool

  /// - `report`: the report folder; nil where none was asked for.
  /// - `coloured`: whether severities are coloured with ANSI sequences.
  package init(inputs: [InputRow], totals: AuditTotals, report: String?, coloured: Bool) {
    self.inputs = inputs
    self.totals = totals
    self.report = report
    self.coloured = coloured
  }

  /// Whether `NO_COLOR` (no-color.org: any value but the empty one) leaves colours on.
  package static func coloursAllowed(_ environment: [String: String]) -> Bool {
    (environment["NO_COLOR"] ?? "").isEmpty
  }

  /// The block, with a newline at its end.
  package var text: String {
    var lines = [headline]
    for severity in Severity.allCases.reversed() {
      let count = totals.findingsBySeverity[Int(severity.rawValue)]
      guard count > 0 else { continue }
      let word = severity.name + String(repeating: " ", count: 10 - severity.name.count)
      lines.append("  \(paint(word, severity)) \(SummaryNumber.grouped(count))")
    }
    for code in FindingCode.allCases {
      let count = totals.findingsByCode[Int(code.rawValue)]
      guard count > 0 else { continue }
      let room = String(repeating: " ", count: max(1, 38 - code.name.count))
      lines.append("    \(code.name)\(room)\(SummaryNumber.grouped(count))")
    }
    lines.append("keys     " + keys)
    lines.append("records  " + records)
    lines.append("inputs   " + inputStates)
    if let report { lines.append("report   " + report) }
    return lines.joined(separator: "\n") + "\n"
  }

  private var headline: String {
    totals.findings == 0
      ? "no findings" : Self.counted(totals.findings, "finding", "findings")
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
    if totals.skipped > 0 { parts.append("\(SummaryNumber.grouped(totals.skipped)) skipped") }
    if totals.unreadable > 0 {
      parts.append("\(SummaryNumber.grouped(totals.unreadable)) unreadable")
    }
    return parts.joined(separator: ", ")
  }

  private var inputStates: String {
    var parts = [Self.counted(UInt64(inputs.count), "file", "files")]
    for status in [InputRow.Status.duplicate, .truncated, .corrupt, .unreadable] {
      let count = inputs.count { $0.status == status }
      if count > 0 { parts.append("\(count) \(status.rawValue)") }
    }
    return parts.joined(separator: ", ")
  }

  private func paint(_ word: String, _ severity: Severity) -> String {
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

  private static func counted(_ count: UInt64, _ one: String, _ many: String) -> String {
    "\(SummaryNumber.grouped(count)) \(count == 1 ? one : many)"
  }
}
