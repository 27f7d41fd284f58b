internal import AuditEngine
internal import AuditLog

/// The visible page. Everything but rows is present without a script.
struct PageBody {
  let page: ReportPage
  let facts: RunSummary

  private static let shapes = ["○", "●", "■", "▲", "◆"]
  static let decisions: [(decision: Decision, name: String, title: String)] = [
    (.accepted, "accepted", "accepted"), (.rejected, "rejected", "rejected"),
    (.unknown, "unknown", "not logged"),
  ]

  func write(to out: inout RowBuffer) {
    PageHeader(page: page, facts: facts).write(to: &out)
    out.element("main") { out in
      PageHours.write(page.hours, to: &out)
      writeCodes(to: &out)
      writeKeys(to: &out)
      PageBuilds(totals: facts.builds).write(to: &out)
      PageInputs(page: page, facts: facts).write(to: &out)
      writeFindings(to: &out)
      writeProvenance(to: &out)
    }
  }

  // MARK: What was found

  private func writeCodes(to out: inout RowBuffer) {
    out.heading("h2", "what", "What")
    guard !page.codes.found.isEmpty else { return out.element("p", "Nothing was found.") }
    out.note("Records by what the server did. A code opens its meaning.")
    var columns: [PageColumn] = ["severity", "finding"]
    columns += Self.decisions.map { .number($0.title) }
    columns.append(.number("findings"))
    out.table(
      columns,
      page.codes.found.map { code, entry in
        let severity = Int(entry.worst.rawValue)
        let mark = PageCell { out in
          out.element(
            "span", ["class": "sev s\(severity)"], "\(Self.shapes[severity]) \(entry.worst.name)")
        }
        var cells = [mark, PageCell { Self.write(code.entry, to: &$0) }]
        for (decision, name, _) in Self.decisions {
          let count = entry.records[Int(decision.rawValue)]
          cells.append(
            count > 0 ? .count(count, link: "code=\(code.name)&decision=\(name)") : .word(""))
        }
        cells.append(.count(entry.findings, link: "code=\(code.name)"))
        return cells
      })
  }

  private static func write(_ entry: FindingEntry, to out: inout RowBuffer) {
    out.element("details") { out in
      out.element("summary") { out in
        out.append(html: entry.title + " ")
        out.element("code", entry.name)
      }
      out.element("dl") { out in
        for (heading, text) in entry.parts {
          out.element("dt", heading.prefix(1).uppercased() + heading.dropFirst())
          out.element("dd", text)
        }
      }
    }
  }

  // MARK: Keys

  private func writeKeys(to out: inout RowBuffer) {
    out.heading("h2", "keys", "Keys")
    let counts = facts.totals.keyParts
    var words = counts.isEmpty ? "No keys." : counts.joined(separator: ", ") + "."
    if !page.keys.worst.isEmpty {
      words +=
        " Below, those with the most requests that were accepted and should not have been: counter "
        + "against time, filled marks accepted, hollow ones not. An honest key only rises. A dashed "
        + "arc leads from a replay back to its original, a dashed upright to the counter that was "
        + "expected. A dotted upright shows where another subject begins."
      words +=
        page.history == nil
        ? " Only requests with findings are drawn, and a line from the first counter to the last: "
          + "with --index every request is." : " Small dots are requests without a finding."
    }
    out.note(words)
    PagePlots(page: page).write(to: &out)
  }

  // MARK: Findings and provenance

  private func writeFindings(to out: inout RowBuffer) {
    out.heading("h2", "findings", "All findings")
    out.element("noscript") { out in
      out.element("p", "Without scripts: all findings stand in findings.csv.")
    }
    writeTabs(to: &out)
    let codes = page.codes.found.map(\.code.name).sorted()
    out.element("form", ["class": "filter", "id": "filter", "role": "search"]) { out in
      choice("severity", Severity.allCases.reversed().map { ($0.name, $0.name) }, to: &out)
      choice("decision", Self.decisions.map { ($0.name, $0.title) }, to: &out)
      choice("code", codes.map { ($0, $0) }, to: &out)
      for name in ["key", "app", "request", "text"] {
        out.append("<label>\(name)<input name=\"\(name)\" autocomplete=\"off\"></label>\n")
      }
      out.element("button", ["type": "reset"], "Clear")
    }
    out.element("p", ["class": "note", "role": "status", "id": "status"])
    out.table("cards", id: "rows") { writeHeads(to: &$0) }
    out.element("p") { $0.append(ascii: "<button type=\"button\" id=\"more\" hidden></button>") }
  }

  private func writeHeads(to out: inout RowBuffer) {
    for (sort, title) in [
      ("harm", "severity"), ("code", "finding"), ("time", "time"), ("", "decision"),
      ("key", "key"), ("", "request"), ("place", "place"), ("", "link"),
    ] {
      if sort.isEmpty {
        out.element("th", ["scope": "col"], title)
      } else {
        out.element("th", ["scope": "col", "data-sort": sort]) { out in
          out.element("button", ["type": "button"], title)
        }
      }
    }
  }

  /// Writes links to findings by their state. Only states that the run can have are linked.
  private func writeTabs(to out: inout RowBuffer) {
    let (accepted, withdrawn) = (page.aside.accepted.count, page.aside.withdrawn.count)
    guard facts.hasState || accepted > 0 || withdrawn > 0 else { return }
    out.element("p", ["class": "tabs"]) { out in
      out.link("sort=harm", "All")
      if facts.hasState {
        out.link("state=new", "New")
        out.link("state=open", "Known")
      }
      if withdrawn > 0 || facts.hasState {
        out.link("state=withdrawn", "Withdrawn (\(SummaryNumber.grouped(withdrawn)))")
      }
      if accepted > 0 {
        out.link("state=accepted", "Accepted (\(SummaryNumber.grouped(accepted)))")
      }
    }
  }

  private func choice(
    _ name: String, _ options: [(value: String, text: String)], to out: inout RowBuffer
  ) {
    out.element("label") { out in
      out.append(name)
      out.element("select", ["name": name]) { out in
        for (value, text) in [("", "any")] + options {
          out.element("option", ["value": value], text)
        }
      }
    }
  }

  private func writeProvenance(to out: inout RowBuffer) {
    out.heading("h2", "provenance", "Provenance")
    out.element("dl") { out in
      for (name, value) in [("tool", facts.tool)] + (facts.settings?.listed ?? []) {
        out.element("dt", PageText.cut(name))
        out.element("dd", ["class": "mono"], PageText.cut(value))
      }
    }
    out.note(
      "Start and end of the run stand in summary.json, checksums of all files in manifest.json.")
  }
}
