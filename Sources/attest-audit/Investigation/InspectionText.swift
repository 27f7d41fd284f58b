import Investigation

/// An inspection as text of at most 80 columns.
struct InspectionText {
  /// Adds an inspection to a page.
  static func write(_ inspection: Inspection, to page: inout TextPage) {
    page.line(
      inspection.what + (inspection.place.map { "  \($0)" } ?? ""), .strong)
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
      page.heading("what would make it valid, and more")
      for remark in inspection.remarks { page.paragraph(remark) }
    }
    page.line()
    page.paragraph(inspection.verdict, at: 0, inspection.failures.isEmpty ? .good : .bad)
  }

  private static func write(_ fields: [Inspection.Field], to page: inout TextPage) {
    for field in fields {
      // Hex of 32 bytes is on one line.
      page.row(field.name, field.value, indent: 16)
    }
  }

  private static func write(_ step: Inspection.Step, to page: inout TextPage) {
    let tone: TextPage.Tone =
      switch step.outcome {
      case .passed: .good
      case .failed: .bad
      case .notChecked: .faint
      }
    let number = step.apple.isEmpty ? "" : "\(step.apple) "
    page.row(step.outcome.rawValue, number + step.title, indent: 16, tone)
    page.row("", step.code, indent: 16, .faint)
    if step.outcome == .notChecked {
      page.row("", "missing: " + step.detail, indent: 16)
    } else if !step.detail.isEmpty {
      page.row("", step.detail, indent: 16)
    }
    guard step.outcome != .passed || !step.compared.isEmpty else { return }
    for pair in step.compared {
      page.row("", pair.name + ":", indent: 16, .faint)
      page.row("      expected", pair.expected, indent: 16, at: 0)
      page.row("      found", pair.found, indent: 16, at: 0)
    }
  }
}
