internal import AuditEngine

struct SimulationPage {
  let simulation: Simulation
  let groups: SimulationGroups
  let facts: SimulationFacts

  private static let limit = 100

  func write(to out: inout RowBuffer) {
    PageFrame.write(title: "App Attest policy simulation", to: &out) { out in
      writeHeader(to: &out)
      out.element("main") { out in
        writeDifferences(to: &out)
        writeCrowds(to: &out)
        for change in SimulatedRequest.Change.allCases { write(change, to: &out) }
        writeFindings(to: &out)
      }
    }
  }

  private func writeHeader(to out: inout RowBuffer) {
    let (counts, refused) = (simulation.counts, groups.total(.refused))
    out.element("header", ["class": "v\(counts.honestRefused > 0 ? 3 : 0)"]) { out in
      out.note("App Attest policy simulation")
      let accepted = Plural.text(counts.accepted, "accepted request")
      let keys = Plural.text(refused.keys, "key")
      let subjects = Plural.text(refused.subjects, "subject")
      let admitted = Plural.text(groups.total(.admitted).requests, "request")
      out.element(
        "h1",
        """
        The candidate would have refused \(SummaryNumber.grouped(refused.requests)) of \(accepted) \
        (\(counts.shareText)), from \(keys) and \(subjects). Honest requests among them: \
        \(SummaryNumber.grouped(counts.honestRefused)). It would have accepted \(admitted) that the \
        server rejected.
        """)
      out.note(
        "A request is honest if its signature is valid and the current policy finds nothing above info."
      )
      for sentence in SimulationFacts.limit { out.note(sentence) }
      if counts.undecided > 0 {
        out.note(
          "The log has no decision for \(Plural.text(counts.undecided, "request")): the decision of the "
            + "current policy takes its place.")
      }
      out.note("Every request is a row of simulation.csv. All times are UTC.")
    }
  }

  private func writeDifferences(to out: inout RowBuffer) {
    out.element("h2", "What changes")
    guard !facts.differences.isEmpty else {
      return out.note("The policies have the same settings.")
    }
    out.table(
      ["setting", "current", "candidate"],
      facts.differences.map { [.text($0.setting), .text($0.current), .text($0.candidate)] })
  }

  private func writeCrowds(to out: inout RowBuffer) {
    out.element("h2", "Largest groups of honest users who would be refused")
    let crowds = groups.largestCrowds
    guard !crowds.isEmpty else {
      return out.note("None: each refused request has a finding of the current policy, too.")
    }
    write("reasons · system · build", crowds, to: &out)
  }

  private func write(_ change: SimulatedRequest.Change, to out: inout RowBuffer) {
    out.element("h2", change == .refused ? "Newly refused" : "Newly accepted")
    guard groups.total(change).requests > 0 else { return out.note("No request.") }
    for (kind, title) in [
      (SimulationGroups.Kind.reason, "reason"), (.build, "build"), (.osVersion, "OS version"),
      (.platform, "platform"), (.day, "day"), (.hour, "hour"),
    ] {
      out.element("h3", "By \(title)")
      write(title, groups.list(kind, change, most: Self.limit), to: &out)
    }
  }

  private func writeFindings(to out: inout RowBuffer) {
    out.element("h2", "Findings about accepted requests")
    let codes = simulation.foundCodes
    guard !codes.isEmpty else {
      return out.note("The current policy finds nothing in accepted requests.")
    }
    out.table(
      [
        "finding", .number("accepted requests with it"), .number("refused by the candidate"),
      ],
      codes.map { code, found, stopped in [.text(code.name), .count(found), .count(stopped)] })
  }

  private func write(
    _ title: String, _ rows: [(key: String, value: SimulationGroups.Group)], to out: inout RowBuffer
  ) {
    out.table(
      [
        PageColumn(title), .number("keys"), .number("subjects"), .number("requests"), "first lines",
      ],
      rows.map { name, group in
        [
          .text(name), .count(group.keys), .count(group.subjects), .count(group.requests),
          .text(group.lines.joined(separator: ", ")),
        ]
      })
  }
}
