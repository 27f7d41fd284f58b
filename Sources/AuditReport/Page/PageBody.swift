internal import AppAttest
internal import AuditEngine

/// The visible page. Everything but rows is present without a script.
struct PageBody {
  let page: ReportPage
  let facts: PageFacts

  private static let shapes = ["○", "●", "■", "▲", "◆"]

  /// Writes the body's elements.
  func write(to out: inout RowBuffer) {
    PageHeader(page: page, facts: facts).write(to: &out)
    out.append(ascii: "<main>\n")
    PageStripTable(hours: page.hours).write(to: &out)
    writeCodes(to: &out)
    writeKeys(to: &out)
    PageBuilds(totals: facts.builds).write(to: &out)
    PageInputs(facts: facts, absences: page.absences).write(to: &out)
    writeFindings(to: &out)
    writeProvenance(to: &out)
    out.append(ascii: "</main>\n")
  }

  // MARK: What was found

  private func writeCodes(to out: inout RowBuffer) {
    out.append(ascii: "<h2 id=\"what\" tabindex=\"-1\">What</h2>\n")
    guard !page.codes.found.isEmpty else {
      return out.append(ascii: "<p>Nothing was found.</p>\n")
    }
    out.append(
      ascii: "<p class=\"note\">Records by what the server did. A code opens its meaning.</p>\n")
    out.append(ascii: "<div class=\"scroll\"><table class=\"cards\"><thead><tr>")
    out.append(ascii: "<th scope=\"col\">severity</th><th scope=\"col\">finding</th>")
    out.append(ascii: "<th scope=\"col\" class=\"n\">accepted</th>")
    out.append(ascii: "<th scope=\"col\" class=\"n\">rejected</th>")
    out.append(ascii: "<th scope=\"col\" class=\"n\">not logged</th>")
    out.append(ascii: "<th scope=\"col\" class=\"n\">findings</th></tr></thead><tbody>\n")
    for (code, entry) in page.codes.found { write(code, entry, to: &out) }
    out.append(ascii: "</tbody></table></div>\n")
  }

  private func write(_ code: FindingCode, _ entry: PageCodes.Entry, to out: inout RowBuffer) {
    let text = code.entry
    let severity = Int(entry.worst.rawValue)
    out.append("<tr><td data-name=\"severity\"><span class=\"sev s\(severity)\">")
    out.append("\(Self.shapes[severity]) \(entry.worst.name)</span></td>")
    out.append(ascii: "<td data-name=\"finding\"><details><summary>")
    out.append(html: text.title)
    out.append(ascii: " <code>")
    out.append(html: text.name)
    out.append(ascii: "</code></summary><dl>")
    for (term, body) in [
      ("Means", text.meaning), ("Abuse", text.abuse), ("Harmless", text.harmless),
      ("What to do", text.remedy),
    ] {
      out.append("<dt>\(term)</dt><dd>")
      out.append(html: body)
      out.append(ascii: "</dd>")
    }
    out.append(ascii: "</dl></details></td>")
    for (decision, name, title) in [
      (1, "accepted", "accepted"), (2, "rejected", "rejected"),
      (0, "unknown", "not logged"),
    ] {
      let count = entry.records[decision]
      out.append("<td class=\"n\" data-name=\"\(title)\">")
      if count > 0 {
        out.append("<a href=\"#code=\(text.name)&amp;decision=\(name)\">")
        out.append(SummaryNumber.grouped(count))
        out.append(ascii: "</a>")
      }
      out.append(ascii: "</td>")
    }
    out.append("<td class=\"n\" data-name=\"findings\"><a href=\"#code=\(text.name)\">")
    out.append(SummaryNumber.grouped(entry.findings))
    out.append(ascii: "</a></td></tr>\n")
  }

  // MARK: Keys

  private func writeKeys(to out: inout RowBuffer) {
    out.append(ascii: "<h2 id=\"keys\" tabindex=\"-1\">Keys</h2>\n")
    let counts = KeyStatus.allCases.compactMap { status -> String? in
      let count = facts.totals.keys[Int(status.rawValue)]
      return count > 0 ? "\(SummaryNumber.grouped(count)) \(status.name)" : nil
    }
    out.append(ascii: "<p class=\"note\">")
    out.append(html: counts.isEmpty ? "No keys." : counts.joined(separator: ", ") + ".")
    if !page.keys.worst.isEmpty {
      out.append(
        html: " Below, those with the most requests that were accepted and should not have "
          + "been: counter against time, filled marks accepted, hollow ones not. An honest key "
          + "only rises. A dashed arc leads from a replay back to its original, an upright shows "
          + "where another subject begins.")
      out.append(
        html: page.history == nil
          ? " Only requests with findings are drawn, and a line from the first counter to the last: "
            + "with --index every request is." : " Small dots are requests without a finding.")
    }
    out.append(ascii: "</p>\n")
    PagePlots(page: page).write(to: &out)
    writeChallenges(to: &out)
    let apps = page.apps.sorted
    guard !apps.isEmpty else { return }
    out.append(ascii: "<h3>Apps and systems</h3>\n")
    out.append(
      ascii: "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Apps and systems\">"
    )
    out.append(ascii: "<table class=\"cards\"><thead><tr>")
    let (textHeads, countHeads) = (
      ["app", "environment", "system", "category"], ["keys", "assertions", "findings"]
    )
    for head in textHeads { out.append("<th scope=\"col\">\(head)</th>") }
    for head in countHeads {
      out.append("<th scope=\"col\" class=\"n\">\(head)</th>")
    }
    out.append(ascii: "</tr></thead><tbody>\n")
    for (kind, entry) in apps {
      out.append(ascii: "<tr>")
      for (label, text) in zip(
        textHeads, [kind.appID, kind.environment, kind.osVersion, kind.category])
      {
        out.append(cell: text, label: label)
      }
      for (label, count) in zip(countHeads, [entry.keys, entry.assertions, entry.findings]) {
        out.append(cell: count, label: label)
      }
      out.append(ascii: "</tr>\n")
    }
    out.append(ascii: "</tbody></table></div>\n")
    if page.apps.others > 0 {
      out.append(ascii: "<p class=\"note\">")
      out.append(html: "\(Plural.text(page.apps.others, "key")) of further kinds: see keys.csv.")
      out.append(ascii: "</p>\n")
    }
  }

  private func writeChallenges(to out: inout RowBuffer) {
    let worst = page.challenges.worst
    guard !worst.isEmpty else { return }
    out.append(ascii: "<h3>Challenges used under several keys</h3>\n")
    out.append(ascii: "<div class=\"scroll\"><table class=\"cards\"><thead><tr>")
    out.append(ascii: "<th scope=\"col\">clientDataHash</th>")
    for head in ["keys", "findings", "accepted"] {
      out.append("<th scope=\"col\" class=\"n\">\(head)</th>")
    }
    out.append(ascii: "<th scope=\"col\">first</th><th scope=\"col\">last</th>")
    out.append(ascii: "</tr></thead><tbody>\n")
    for entry in worst {
      var hash = RowBuffer()
      hash.append(hex: entry.hash.span)
      out.append("<tr><td data-name=\"clientDataHash\"><a class=\"mono\" href=\"#hash=")
      out.append("\(hash.text)\">\(hash.text.prefix(16))</a></td>")
      for (name, count) in [
        ("keys", UInt64(entry.keys.count)), ("findings", entry.records),
        ("accepted", entry.accepted),
      ] {
        out.append("<td class=\"n\" data-name=\"\(name)\">\(SummaryNumber.grouped(count))</td>")
      }
      for (name, time) in [("first", entry.first), ("last", entry.last)] {
        out.append("<td data-name=\"\(name)\">\(time.map(PageTime.minute) ?? "")</td>")
      }
      out.append(ascii: "</tr>\n")
    }
    out.append(ascii: "</tbody></table></div>\n")
    let others = page.challenges.count - UInt64(worst.count)
    guard others > 0 || page.challenges.isFull else { return }
    out.append(ascii: "<p class=\"note\">")
    out.append(
      html: (page.challenges.isFull ? "More than " : "") + Plural.text(others, "further challenge")
        + ": see replay.cross_key in findings.csv.")
    out.append(ascii: "</p>\n")
  }

  // MARK: Findings and provenance

  private func writeFindings(to out: inout RowBuffer) {
    out.append(ascii: "<h2 id=\"findings\" tabindex=\"-1\">All findings</h2>\n")
    out.append(
      ascii: "<noscript><p>Without scripts: all findings stand in findings.csv.</p></noscript>\n")
    writeTabs(to: &out)
    out.append(ascii: "<form class=\"filter\" id=\"filter\" role=\"search\">\n")
    choice("severity", Severity.allCases.reversed().map { ($0.name, $0.name) }, to: &out)
    choice(
      "decision",
      [("accepted", "accepted"), ("rejected", "rejected"), ("unknown", "not logged")],
      to: &out)
    choice(
      "code", page.codes.found.map { ($0.code.name, $0.code.name) }.sorted { $0.0 < $1.0 }, to: &out
    )
    for name in ["key", "app", "request", "text"] {
      out.append("<label>\(name)<input name=\"\(name)\" autocomplete=\"off\"></label>\n")
    }
    out.append(ascii: "<button type=\"reset\">Clear</button></form>\n")
    out.append(ascii: "<p class=\"note\" role=\"status\" id=\"status\"></p>\n")
    out.append(ascii: "<div class=\"scroll\"><table class=\"cards\"><thead><tr>")
    for (sort, title) in [
      ("harm", "severity"), ("code", "finding"), ("time", "time"), ("", "decision"),
      ("key", "key"), ("", "request"), ("place", "place"), ("", "link"),
    ] {
      if sort.isEmpty {
        out.append("<th scope=\"col\">\(title)</th>")
      } else {
        out.append("<th scope=\"col\" data-sort=\"\(sort)\"><button type=\"button\">\(title)")
        out.append(ascii: "</button></th>")
      }
    }
    out.append(ascii: "</tr></thead><tbody id=\"rows\"></tbody></table></div>\n")
    out.append(ascii: "<p><button type=\"button\" id=\"more\" hidden></button></p>\n")
  }

  /// Writes links to findings by their state. Only states that the run can have are linked.
  private func writeTabs(to out: inout RowBuffer) {
    let (accepted, withdrawn) = (page.aside.accepted.count, page.aside.withdrawn.count)
    guard facts.hasState || accepted > 0 || withdrawn > 0 else { return }
    out.append(ascii: "<p class=\"tabs\"><a href=\"#sort=harm\">All</a>")
    if facts.hasState {
      out.append(ascii: "<a href=\"#state=new\">New</a><a href=\"#state=open\">Known</a>")
    }
    for (state, title, count) in [
      ("withdrawn", "Withdrawn", withdrawn), ("accepted", "Accepted", accepted),
    ] where count > 0 || (facts.hasState && state == "withdrawn") {
      out.append("<a href=\"#state=\(state)\">\(title) (\(SummaryNumber.grouped(count)))</a>")
    }
    out.append(ascii: "</p>\n")
  }

  private func choice(
    _ name: String, _ options: [(value: String, text: String)], to out: inout RowBuffer
  ) {
    out.append("<label>\(name)<select name=\"\(name)\"><option value=\"\">any</option>")
    for option in options {
      out.append("<option value=\"\(option.value)\">")
      out.append(html: option.text)
      out.append(ascii: "</option>")
    }
    out.append(ascii: "</select></label>\n")
  }

  private func writeProvenance(to out: inout RowBuffer) {
    out.append(ascii: "<h2 id=\"provenance\" tabindex=\"-1\">Provenance</h2>\n<dl>")
    let tool = PageSetting(name: "tool", value: "\(Tool.name) \(facts.toolVersion)")
    for setting in [tool] + facts.settings {
      out.append(ascii: "<dt>")
      out.append(html: PageText.cut(setting.name))
      out.append(ascii: "</dt><dd class=\"mono\">")
      out.append(html: PageText.cut(setting.value))
      out.append(ascii: "</dd>")
    }
    out.append(ascii: "</dl>\n<p class=\"note\">Start and end of the run stand in summary.json, ")
    out.append(ascii: "checksums of all files in manifest.json.</p>\n")
  }
}
