internal import AuditEngine

/// The page of a simulation: who would have been refused and admitted, and why.
struct SimulationPage {
  let simulation: Simulation
  let groups: SimulationGroups
  let facts: SimulationFacts

  /// The most groups of one kind on the page.
  private static let limit = 100

  func write(to out: inout RowBuffer) {
    PageFrame.write(title: "App Attest policy simulation", to: &out) { out in
      writeHeader(to: &out)
      out.append(ascii: "<main>\n")
      writeDifferences(to: &out)
      writeCrowds(to: &out)
      for change in SimulatedRequest.Change.allCases { write(change, to: &out) }
      writeFindings(to: &out)
      out.append(ascii: "</main>\n")
    }
  }

  private func writeHeader(to out: inout RowBuffer) {
    let (counts, refused) = (simulation.counts, groups.total(.refused))
    out.append("<header class=\"v\(counts.honestRefused > 0 ? 3 : 0)\">\n")
    out.append(ascii: "<p class=\"note\">App Attest policy simulation</p>\n<h1>")
    out.append(
      html: "The candidate would have refused \(SummaryNumber.grouped(refused.requests)) of "
        + Plural.text(counts.accepted, "accepted request") + " (\(counts.shareText)), from "
        + Plural.text(refused.keys, "key") + " and " + Plural.text(refused.subjects, "subject")
        + ". Honest requests among them: \(SummaryNumber.grouped(counts.honestRefused)). "
        + "It would have accepted " + Plural.text(groups.total(.admitted).requests, "request")
        + " that the server rejected.")
    out.append(ascii: "</h1>\n")
    note(
      "A request is honest if its signature is valid and the current policy finds nothing above info.",
      to: &out)
    for sentence in SimulationFacts.limit { note(sentence, to: &out) }
    if counts.undecided > 0 {
      note(
        "The log has no decision for \(Plural.text(counts.undecided, "request")): the decision of the "
          + "current policy takes its place.", to: &out)
    }
    note("Every request is a row of simulation.csv. All times are UTC.", to: &out)
    out.append(ascii: "</header>\n")
  }

  private func writeDifferences(to out: inout RowBuffer) {
    heading("What changes", to: &out)
    guard !facts.differences.isEmpty else {
      return note("The policies have the same settings.", to: &out)
    }
    table(["setting", "current", "candidate"], [], to: &out) { out in
      for difference in facts.differences {
        out.append(ascii: "<tr>")
        out.append(cell: PageText.cut(difference.setting), label: "setting")
        out.append(cell: PageText.cut(difference.current), label: "current")
        out.append(cell: PageText.cut(difference.candidate), label: "candidate")
        out.append(ascii: "</tr>\n")
      }
    }
  }

  private func writeCrowds(to out: inout RowBuffer) {
    heading("Largest groups of honest users who would be refused", to: &out)
    let crowds = groups.largestCrowds
    guard !crowds.isEmpty else {
      return note(
        "None: each refused request has a finding of the current policy, too.", to: &out)
    }
    write("reasons · system · build", crowds.map { ($0.name, $0.group) }, to: &out)
  }

  private func write(_ change: SimulatedRequest.Change, to out: inout RowBuffer) {
    let total = groups.total(change)
    heading(change == .refused ? "Newly refused" : "Newly accepted", to: &out)
    guard total.requests > 0 else { return note("No request.", to: &out) }
    for (kind, title) in [
      (SimulationGroups.Kind.reason, "reason"), (.build, "build"), (.osVersion, "OS version"),
      (.platform, "platform"), (.day, "day"), (.hour, "hour"),
    ] {
      out.append("<h3>By \(title)</h3>\n")
      write(title, groups.list(kind, change, most: Self.limit), to: &out)
    }
  }

  private func writeFindings(to out: inout RowBuffer) {
    heading("Findings about accepted requests", to: &out)
    let codes = simulation.foundCodes
    guard !codes.isEmpty else {
      return note("The current policy finds nothing in accepted requests.", to: &out)
    }
    table(["finding"], ["accepted requests with it", "refused by the candidate"], to: &out) { out in
      for (code, found, stopped) in codes {
        out.append(ascii: "<tr>")
        out.append(cell: code.name, label: "finding")
        out.append(cell: found, label: "with it")
        out.append(cell: stopped, label: "refused")
        out.append(ascii: "</tr>\n")
      }
    }
  }

  // MARK: Elements

  private func heading(_ text: String, to out: inout RowBuffer) { out.append("<h2>\(text)</h2>\n") }

  private func note(_ text: String, to out: inout RowBuffer) {
    out.append(ascii: "<p class=\"note\">")
    out.append(html: text)
    out.append(ascii: "</p>\n")
  }

  private func write(
    _ title: String, _ rows: [(key: String, value: SimulationGroups.Group)], to out: inout RowBuffer
  ) {
    table([title], ["keys", "subjects", "requests"], last: "first lines", to: &out) { out in
      for (value, group) in rows {
        out.append(ascii: "<tr>")
        out.append(cell: PageText.cut(value), label: title)
        out.append(cell: group.keys, label: "keys")
        out.append(cell: group.subjects, label: "subjects")
        out.append(cell: group.requests, label: "requests")
        out.append(cell: PageText.cut(group.lines.joined(separator: ", ")), label: "first lines")
        out.append(ascii: "</tr>\n")
      }
    }
  }

  private func table(
    _ texts: [String], _ numbers: [String], last: String? = nil, to out: inout RowBuffer,
    _ rows: (inout RowBuffer) -> Void
  ) {
    out.append(ascii: "<div class=\"scroll\"><table class=\"cards\"><thead><tr>")
    for head in texts { out.append("<th scope=\"col\">\(head)</th>") }
    for head in numbers { out.append("<th scope=\"col\" class=\"n\">\(head)</th>") }
    if let last { out.append("<th scope=\"col\">\(last)</th>") }
    out.append(ascii: "</tr></thead><tbody>\n")
    rows(&out)
    out.append(ascii: "</tbody></table></div>\n")
  }
}
