internal import AppAttest
internal import AuditEngine

/// The top of the page: the verdict in a sentence, and the places to look at first.
struct PageHeader {
  let page: ReportPage
  let facts: RunSummary

  func write(to out: inout RowBuffer) {
    out.element("a", ["class": "skip", "href": "#findings"], "Skip to all findings")
    out.element("header", ["class": "v\(level.rawValue)"]) { out in
      out.note(facts.title)
      out.element("h1") { writeSentence(to: &$0) }
      writeLeads(to: &out)
      writeCauses(to: &out)
      let totals = facts.totals
      let known = facts.known
      out.note(
        [
          Plural.text(totals.lines, "log line"), "of",
          Plural.text(UInt64(facts.inputs.count - known), "input")
            + (known > 0 ? ", \(known) known ·" : " ·"),
          Plural.text(totals.assertions, "assertion") + ",",
          Plural.text(totals.attestations, "attestation")
            + (totals.items > 0 ? ", \(totals.items) more in lines with several records ·" : " ·"),
          Plural.text(totals.keys.reduce(0, +), "key"), "· all times UTC",
        ].joined(separator: " "))
      out.element("nav", ["aria-label": "Sections"]) { out in
        for (id, title) in [
          ("when", "When"), ("what", "What"), ("keys", "Keys"), ("builds", "Builds"),
          ("inputs", "Inputs"), ("coverage", "Not checked"), ("findings", "All findings"),
          ("provenance", "Provenance"),
        ] { out.link(id, title) }
      }
    }
  }

  // MARK: The sentence

  /// The most severe severity that was found and determines the colour of the page.
  private var level: Severity { page.codes.found.map(\.entry.worst).max() ?? .info }

  private var broken: Int { facts.inputs.count(where: \.status.isTrouble) }

  /// Writes the first sentence: the most severe severity, the new findings, and the place to look at first.
  private func writeSentence(to out: inout RowBuffer) {
    // Numbers are lower bounds if something was not read.
    let isPartial = broken > 0 || facts.totals.notAudited > 0
    let scope = isPartial ? " in what could be audited" : ""
    let grave = page.codes.grave
    if let sentence = grave.sentence(isPartial: isPartial) {
      out.element("b", sentence)
      writeGrave(grave, to: &out)
    } else if facts.totals.hasNoRecords, facts.totals.known == 0, facts.known == 0 {
      out.element("b", "Nothing was audited")
      out.append(html: ": no record was read from \(Plural.text(facts.totals.lines, "log line"))")
    } else {
      out.element("b", "Nothing severe was found\(scope)")
      if page.rows.total > 0 {
        out.append(html: " among \(Plural.text(page.rows.total, "finding"))")
      }
    }
    out.append(ascii: ".")
  }

  private func writeGrave(_ grave: GraveRequests, to out: inout RowBuffer) {
    let (unknown, rejected) = (grave.byDecision[0], grave.byDecision[2])
    if grave.accepted > 0 {
      if facts.hasState, grave.new > 0 {
        out.append(ascii: ", ")
        out.element("b", "\(grave.new) of them with new findings")
      }
      out.append(html: span(grave))
      writeBegin(to: &out)
    } else if grave.uncertain > 0 {
      out.append(
        html: unknown > 0
          ? ": there are severe findings, and the log does not say what the server decided"
          : "; read below why that cannot be ruled out")
      writeBegin(to: &out)
    } else {
      out.append(
        html: rejected > 0
          ? "; the server rejected \(Plural.text(rejected, "request")) that deserved it"
          : "; read below what needs a look")
    }
  }

  private func span(_ grave: GraveRequests) -> String {
    guard let first = grave.first.map(PageTime.minute), let last = grave.last.map(PageTime.minute)
    else { return "" }
    if grave.goesOn { return ", from \(first) UTC on" }
    return first == last ? ", at \(first) UTC" : ", between \(first) and \(last) UTC"
  }

  private func writeBegin(to out: inout RowBuffer) {
    guard let worst = page.keys.worst.first, worst.count.accepted > 0 || worst.count.worst >= .high
    else { return }
    let hex = worst.keyID.hex
    out.append(html: "; begin with key ")
    out.element("a", ["class": "mono", "href": "#key=\(hex)"], String(hex.prefix(12)))
  }

  // MARK: Lists

  private func writeCauses(to out: inout RowBuffer) {
    guard !facts.likelyCauses.isEmpty else { return }
    out.element("h2", ["id": "causes"], "Likely causes")
    out.element("ul") { out in
      for cause in facts.likelyCauses {
        out.element("li") { out in
          out.append(html: PageText.cut(cause.evidence) + " " + PageText.cut(cause.action) + " ")
          if !cause.source.isEmpty {
            out.bdi(PageText.cut(cause.source) + (cause.line > 0 ? ":\(cause.line)" : ""))
          }
          for code in cause.codes {
            out.append(ascii: " ")
            out.element("a", ["href": "#code=\(code.name)"]) { $0.element("code", code.name) }
          }
        }
      }
    }
  }

  private func writeLeads(to out: inout RowBuffer) {
    let leads = leads.prefix(5)
    guard !leads.isEmpty else { return }
    out.element("ol") { out in
      for lead in leads {
        out.element("li") { out in
          out.link(lead.link, lead.text)
          out.append(html: lead.rest + ".")
        }
      }
    }
  }

  private var leads: [(link: String, text: String, rest: String)] {
    var leads: [(link: String, text: String, rest: String)] = []
    if facts.hasState, page.codes.new > 0 {
      leads.append(
        ("state=new", Plural.text(page.codes.new, "new finding"), " since the last report"))
    }
    if let worst = page.keys.worst.first, worst.count.worst >= .high {
      let rest =
        ": \(worst.count.least)\(Plural.text(worst.count.accepted, "request")) accepted, "
        + Plural.text(worst.count.findings, "finding")
      leads.append(("key=\(worst.keyID.hex)", "The worst key, \(worst.keyID.hex.prefix(12))", rest))
    }
    if let (code, entry) = page.codes.found.first, entry.worst >= .medium {
      let found = ": \(Plural.text(entry.findings, "finding"))"
      leads.append(("code=\(code.name)", "The most severe code: \(code.entry.title)", found))
    }
    if broken > 0 {
      let inputs = Plural.text(UInt64(facts.inputs.count), "input")
      let rest = " could not be read whole; what they held is not in these numbers"
      leads.append(("code=stream", "\(broken) of \(inputs)", rest))
    }
    // Many logs are silent every night: only a silence that may explain findings is worth a look.
    let silences = facts.silences.map { (silence: $0, count: page.absences(in: $0)) }
    if let (silence, count) = silences.max(by: { $0.count < $1.count }), count > 0 {
      let (from, to) = (PageTime.minute(silence.from), PageTime.minute(silence.to))
      let rest =
        ": \(PageText.cut(silence.source)) has no records between \(from) and \(to); "
        + "\(Plural.text(count, "finding")) about unknown keys or challenges in those hours may be "
        + "no more than this"
      leads.append(("silent", "A log that falls silent", rest))
    }
    if facts.totals.notAudited > 0 {
      let text = Plural.text(facts.totals.notAudited, "signed request")
      leads.append(("code=record.not_audited", text, " that no rule of the schema reads"))
    }
    return leads
  }
}

extension InputRow.Status {
  /// Whether some of the input is not in the numbers.
  var isTrouble: Bool { self == .truncated || self == .corrupt || self == .unreadable }
}
