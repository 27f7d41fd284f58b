import AppAttest
import AuditEngine
import AuditLog
import AuditReport
import Basics
import Investigation

/// The explanation of a finding as text of at most 80 columns.
struct ExplanationText {
  let explanation: Explanation
  let report: StoredReport

  func write(to page: inout TextPage) {
    let finding = explanation.finding.finding
    page.line(
      "\(finding.severity.name)  \(finding.code.name)  \(Fingerprint.text(finding.fingerprint))",
      .strong)
    page.row("means", explanation.entry.title)
    page.row("reported", finding.detail)
    page.row("time", finding.time.map { CivilTime(milliseconds: $0).text } ?? "none")
    page.row("decision", finding.decision == .unknown ? "none in the log" : finding.decision.name)
    for (name, text) in [
      ("client", finding.clientIP), ("user agent", finding.userAgent), ("route", finding.route),
    ] where !text.isEmpty {
      page.row(name, text)
    }
    if finding.count > 1 { page.row("is about", "\(finding.count) records") }
    page.row("report", "\(report.path), by \(report.summary.tool)")
    for cause in explanation.causes {
      page.row("likely cause", cause.sentence)
    }
    place("line", explanation.evidence, to: &page)
    if let related = explanation.related { place("earlier line", related, to: &page) }
    writePairs(to: &page)
    if let inspection = explanation.evidence.inspection {
      page.heading("the line, check by check")
      writeSteps(inspection, to: &page)
    }
    writeOutcome(to: &page)
    let entry = explanation.entry
    page.heading("what it means")
    for (heading, text) in entry.parts + [("page", entry.address)] { page.row(heading, text) }
    page.line()
    page.paragraph(explanation.conclusion, at: 0, .strong)
  }

  private func place(_ name: String, _ evidence: Explanation.Evidence, to page: inout TextPage) {
    page.heading(name)
    page.row("place", evidence.line == 0 ? evidence.source : "\(evidence.source):\(evidence.line)")
    switch evidence.state {
    case .same: page.row("input", "the file of the report: its SHA-256 is the same", .good)
    case .grown: page.row("input", "grown since the report; its beginning is the same")
    case .changed: page.row("input", "CHANGED since the report", .bad)
    case .unknown: page.row("input", "read; the report has no SHA-256 to compare with")
    case .missing: page.row("input", "NOT THERE", .bad)
    }
    if let sha256 = evidence.sha256 { page.row("  SHA-256", sha256) }
    if evidence.state == .changed { page.row("  report's", evidence.reportedSHA256 ?? "none") }
    guard let line = evidence.found else {
      for damage in evidence.damage { page.row("damage", damage.detail) }
      return
    }
    page.row(
      "bytes",
      "\(line.bytes.count) at \(line.byteOffset) of the decompressed stream"
        + (line.frameOffset.map {
          "; frame at \($0) of the file, whose content begins at \(line.frameContentOffset)"
        } ?? ""))
    page.row("  SHA-256", line.sha256.hex)
    let before = evidence.damage.count
    if before > 0 {
      page.row(
        "damage",
        "the file has \(SummaryNumber.counted(before, "damaged place")); read on after "
          + (before == 1 ? "it" : "them"))
    }
    page.row("text", Self.beginning(line.bytes))
  }

  private static func beginning(_ bytes: [UInt8]) -> String {
    let limit = 240
    return String(decoding: bytes.prefix(limit), as: UTF8.self) + (bytes.count > limit ? "…" : "")
  }

  private func writePairs(to page: inout TextPage) {
    let pairs = explanation.pairs
    guard !pairs.isEmpty else { return }
    page.heading("compared with the earlier record (= same, ≠ different)")
    for pair in pairs where pair.earlier == pair.later { page.row("= " + pair.name, pair.later) }
    for pair in pairs where pair.earlier != pair.later {
      page.row("≠ " + pair.name, "earlier: " + pair.earlier)
      page.row("", "this one: " + pair.later)
    }
  }

  private func writeSteps(_ inspection: Inspection, to page: inout TextPage) {
    for step in inspection.steps where step.outcome != .notChecked {
      page.row(
        step.outcome.rawValue, (step.apple.isEmpty ? "" : "\(step.apple) ") + step.title,
        step.outcome == .failed ? .bad : .good)
      guard step.outcome == .failed else { continue }
      page.row("", step.detail)
      for pair in step.compared where pair.expected != pair.found {
        page.row("", pair.name)
        page.row("      expected", pair.expected, at: 0)
        page.row("      found", pair.found, at: 0)
      }
    }
    // Counters and replays are judged below.
    for step in inspection.unchecked where !step.code.hasSuffix(".*") {
      page.row("not checked", "\(step.code): \(step.detail)", .faint)
    }
    for remark in inspection.remarks { page.paragraph(remark) }
  }

  private func writeOutcome(to page: inout TextPage) {
    page.heading("judged again")
    if let outcome = explanation.outcome {
      page.row("records", "\(outcome.records) of the same keys, hash or device, from all inputs")
    }
    if explanation.isConfirmed {
      page.row("found again", explanation.outcome?.detail ?? "yes", .bad)
    } else {
      page.row("found again", "no", .faint)
    }
    for other in explanation.outcome?.others ?? [] { page.row("same line", other) }
    for remark in explanation.remarks { page.paragraph(remark) }
  }
}

struct InspectionText {
  static func write(_ inspections: [Inspection], to page: inout TextPage) {
    for (index, inspection) in inspections.enumerated() {
      if index > 0 { page.line() }
      write(inspection, to: &page)
    }
  }

  static func write(_ inspection: Inspection, to page: inout TextPage) {
    page.line(inspection.what + (inspection.place.map { "  \($0)" } ?? ""), .strong)
    write(inspection.record, to: &page)
    if !inspection.token.isEmpty {
      page.heading("token")
      write(inspection.token, to: &page)
    }
    if !inspection.steps.isEmpty {
      page.heading("checks (a number is Apple's step)")
      for step in inspection.steps { write(step, to: &page) }
    }
    for certificate in inspection.certificates {
      page.heading("certificate \(certificate.role)")
      write(
        [
          .init("subject", certificate.subject), .init("issuer", certificate.issuer),
          .init("serial", certificate.serial), .init("valid", certificate.validity),
          .init("SHA-256", certificate.sha256),
        ], to: &page)
      for one in certificate.extensions { page.row(one.name, one.value, indent: 18, at: 4) }
    }
    if !inspection.receipt.isEmpty {
      page.heading("receipt")
      write(inspection.receipt, to: &page)
    }
    if !inspection.remarks.isEmpty {
      page.heading("what would make it valid, and other remarks")
      for remark in inspection.remarks { page.paragraph(remark) }
    }
    page.line()
    page.paragraph(inspection.verdict, at: 0, inspection.failures.isEmpty ? .good : .bad)
  }

  private static func write(_ fields: [Inspection.Field], to page: inout TextPage) {
    for field in fields { page.row(field.name, field.value) }
  }

  private static func write(_ step: Inspection.Step, to page: inout TextPage) {
    let tone: TextPage.Tone =
      switch step.outcome {
      case .passed: .good
      case .failed: .bad
      case .notChecked: .faint
      }
    let number = step.apple.isEmpty ? "" : "\(step.apple) "
    page.row(step.outcome.rawValue, number + step.title, tone)
    page.row("", step.code, .faint)
    if step.outcome == .notChecked {
      page.row("", "missing: " + step.detail)
    } else if !step.detail.isEmpty {
      page.row("", step.detail)
    }
    for pair in step.compared {
      page.row("", pair.name + ":", .faint)
      page.row("      expected", pair.expected, at: 0)
      page.row("      found", pair.found, at: 0)
    }
  }
}
