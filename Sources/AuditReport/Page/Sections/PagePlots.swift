internal import AppAttest
internal import AuditEngine
internal import AuditLog
internal import Basics

/// The keys with the most accepted abuse, each with the picture of its counters.
struct PagePlots {
  let page: ReportPage

  private static let drawn = 240

  func write(to out: inout RowBuffer) {
    let worst = page.keys.worst
    var rows: [Digest256: [PageRows.Row]] = [:]
    for entry in worst { rows[entry.keyID] = [] }
    for row in page.rows.kept {
      let finding = row.finding.finding
      guard let key = finding.keyID, finding.counter != nil, finding.time != nil else { continue }
      rows[key]?.append(row)
    }
    out.element("div", ["class": "plots", "id": "plots"]) { out in
      for entry in worst {
        out.element("div", ["class": "plot"]) { write(entry, rows[entry.keyID] ?? [], to: &$0) }
      }
    }
  }

  private func write(_ entry: PageKeys.Entry, _ rows: [PageRows.Row], to out: inout RowBuffer) {
    let hex = entry.keyID.hex
    out.element("h3") { out in
      out.element(
        "a", ["class": "mono", "href": "#key=\(hex)", "title": hex], String(hex.prefix(12)))
    }
    out.element("p", ["class": "note"]) { out in
      out.append(
        "\(entry.count.least)\(SummaryNumber.grouped(entry.count.accepted)) accepted, "
          + Plural.text(entry.count.findings, "finding"))
      guard let row = entry.row else { return }
      out.append("; \(row.status.name)")
      guard !row.subject.isEmpty else { return }
      out.append(ascii: ", subject ")
      out.bdi(row.subject)
    }
    let drawn = rows.sorted(by: Self.precedes).prefix(Self.drawn)
    let plot = page.history?.plot(of: entry.keyID)
    guard let picture = CounterPicture(entry, plot, findings: Array(drawn)) else { return }
    picture.write(to: &out)
    if let builds = plot?.builds, builds.areSeveral {
      out.element("p", ["class": "note"]) { out in
        out.append(ascii: "Builds:")
        for (number, build) in builds.entries.enumerated() {
          out.append(ascii: " ")
          out.element("span", ["class": "b\(number)"], "●")
          out.append(ascii: " ")
          out.bdi(build.name)
        }
      }
    }
    let remarks = remarks(Array(drawn), of: rows.count, plot)
    if !remarks.isEmpty { out.note(remarks.joined(separator: "; ") + ".") }
  }

  private func remarks(
    _ drawn: [PageRows.Row], of count: Int, _ plot: PageHistory.Plot?
  ) -> [String] {
    var remarks: [String] = []
    if let fork = plot?.fork {
      remarks.append(
        "fork: a second rising sequence begins \(PageTime.minute(fork.time)) with counter "
          + "\(fork.counter)")
    }
    let replays = UInt64(drawn.count { $0.original != nil })
    if replays > 0 { remarks.append("\(Plural.text(replays, "replay")) joined to the original") }
    let subjects = UInt64(drawn.count { $0.finding.finding.code == .keySubjectChanged })
    if subjects > 0 { remarks.append("another subject \(Plural.text(subjects, "time"))") }
    if let plot, plot.requests > UInt64(plot.points.count) {
      remarks.append("\(plot.points.count) of \(plot.requests) requests drawn")
    }
    if count > drawn.count {
      remarks.append(
        "\(drawn.count) of \(count) findings with a counter drawn, the most severe")
    }
    return remarks
  }

  /// The most severe first, of those the accepted, then the new.
  private static func precedes(_ a: PageRows.Row, _ b: PageRows.Row) -> Bool {
    let (left, right) = (a.finding.finding, b.finding.finding)
    if left.severity != right.severity { return left.severity > right.severity }
    let (first, second) = (left.decision == .accepted, right.decision == .accepted)
    if first != second { return first }
    let (isNew, other) = (a.finding.isNew == true, b.finding.isNew == true)
    return isNew != other ? isNew : a.order < b.order
  }
}
