import AppAttest
import AuditEngine

/// The top of the page: the verdict in a sentence, and the places to look at first.
struct PageHeader {
  let page: ReportPage
  let facts: PageFacts

  /// Writes the header: the verdict, the places to look at first, and the page's sections.
  func write(to out: inout RowBuffer) {
    let sentence = PageSentence(page: page, facts: facts)
    out.append(ascii: "<a class=\"skip\" href=\"#findings\">Skip to all findings</a>\n")
    out.append("<header class=\"v\(sentence.level.rawValue)\">\n<p class=\"note\">App Attest audit")
    out.append(ascii: "</p>\n<h1>")
    sentence.write(to: &out)
    out.append(ascii: "</h1>\n")
    writeLeads(to: &out)
    writeCauses(to: &out)
    let totals = facts.totals
    out.append(ascii: "<p class=\"note\">")
    out.append(
      html: [
        Plural.text(totals.lines, "log line"), "of",
        Plural.text(UInt64(facts.inputs.count), "input") + " ·",
        Plural.text(totals.assertions, "assertion") + ",",
        Plural.text(totals.attestations, "attestation") + " ·",
        Plural.text(totals.keys.reduce(0, +), "key"), "· all times UTC",
      ].joined(separator: " "))
    out.append(ascii: "</p>\n<nav aria-label=\"Sections\">")
    for (id, title) in [
      ("when", "When"), ("what", "What"), ("keys", "Keys"), ("builds", "Builds"),
      ("inputs", "Inputs"),
      ("coverage", "Not checked"), ("findings", "All findings"), ("provenance", "Provenance"),
    ] {
      out.append("<a href=\"#\(id)\">\(title)</a>")
    }
    out.append(ascii: "</nav>\n</header>\n")
  }

  /// Writes the states of the log that explain findings.
  private func writeCauses(to out: inout RowBuffer) {
    guard !facts.likelyCauses.isEmpty else { return }
    out.append(ascii: "<h2 id=\"causes\">Likely causes</h2>\n<ul>\n")
    for cause in facts.likelyCauses {
      out.append(ascii: "<li>")
      out.append(html: PageText.cut(cause.evidence) + " " + PageText.cut(cause.action))
      if !cause.source.isEmpty {
        let line = cause.line > 0 ? ":\(cause.line)" : ""
        out.append(ascii: " <bdi>")
        out.append(html: PageText.cut(cause.source) + line)
        out.append(ascii: "</bdi>")
      }
      for code in cause.codes {
        out.append(" <a href=\"#code=\(code.name)\"><code>\(code.name)</code></a>")
      }
      out.append(ascii: "</li>\n")
    }
    out.append(ascii: "</ul>\n")
  }

  /// Writes a list of the places to look at first, five at most.
  private func writeLeads(to out: inout RowBuffer) {
    var leads: [(link: String, text: String, rest: String)] = []
    if facts.hasState, page.codes.new > 0 {
      leads.append(
        ("state=new", Plural.text(page.codes.new, "new finding"), " since the last report"))
    }
    if let worst = page.keys.worst.first, worst.count.worst >= .high {
      leads.append(
        (
          "key=\(worst.keyID.hex)", "The worst key, \(worst.keyID.hex.prefix(12))",
          ": \(Plural.text(worst.count.accepted, "request")) accepted, "
            + Plural.text(worst.count.findings, "finding")
        ))
    }
    if let code = page.codes.found.first, code.entry.worst >= .medium {
      leads.append(
        (
          "code=\(code.code.name)", "The most severe code: \(code.code.entry.title)",
          ": \(Plural.text(code.entry.findings, "finding"))"
        ))
    }
    let broken = facts.inputs.count {
      $0.status == .truncated || $0.status == .corrupt || $0.status == .unreadable
    }
    if broken > 0 {
      leads.append(
        (
          "code=stream", "\(broken) of \(Plural.text(UInt64(facts.inputs.count), "input"))",
          " could not be read whole; what they held is not in these numbers"
        ))
    }
    if let silence = facts.silences.max(by: { $0.to - $0.from < $1.to - $1.from }) {
      let count = page.absences.count(from: silence.from, to: silence.to)
      leads.append(
        (
          "silent", "A log that falls silent",
          ": \(PageText.cut(silence.source)) has no records between \(PageTime.minute(silence.from)) "
            + "and \(PageTime.minute(silence.to))"
            + (count > 0
              ? "; \(Plural.text(count, "finding")) about unknown keys or challenges in those hours "
                + "may be no more than this" : "")
        ))
    }
    if facts.totals.notAudited > 0 {
      leads.append(
        (
          "code=record.not_audited", Plural.text(facts.totals.notAudited, "signed request"),
          " that no rule of the schema reads"
        ))
    }
    guard !leads.isEmpty else { return }
    out.append(ascii: "<ol>\n")
    for lead in leads.prefix(5) {
      out.append("<li><a href=\"#\(lead.link)\">")
      out.append(html: lead.text)
      out.append(ascii: "</a>")
      out.append(html: lead.rest)
      out.append(ascii: ".</li>\n")
    }
    out.append(ascii: "</ol>\n")
  }
}
