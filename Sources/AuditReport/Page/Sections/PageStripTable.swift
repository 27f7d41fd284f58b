internal import AuditEngine
internal import AuditLog

/// The heat strip: findings by decision, severity and hour.
struct PageStripTable {
  let hours: PageHours

  private static let groups: [(decision: Decision, name: String, title: String)] = [
    (.accepted, "accepted", "Accepted by the server"),
    (.rejected, "rejected", "Rejected by the server"),
    (.unknown, "unknown", "Decision not logged"),
  ]

  /// Writes the section.
  func write(to out: inout RowBuffer) {
    out.append(ascii: "<h2 id=\"when\" tabindex=\"-1\">When</h2>\n")
    guard let strip = hours.strip() else {
      return out.append(ascii: "<p>No finding has a time.</p>\n")
    }
    let table = PageStrip(strip: strip)
    out.append(ascii: "<p class=\"note\">")
    out.append(
      html: "Findings by time and severity, each column \(table.width): the stronger "
        + "the colour, the more. A cell leads to its findings; the arrow keys go from one to the "
        + "next.")
    let missing = hours.timeless + strip.outside
    if missing > 0 {
      out.append(html: " Not drawn: \(Plural.text(missing, "finding")) without a time or outside.")
    }
    out.append(ascii: "</p>\n")
    table.begin("severity", to: &out)
    for group in Self.groups {
      let severities = Severity.allCases.reversed().filter { severity in
        let kind = PageHours.kind(group.decision, severity)
        return strip.columns.contains { $0[kind] > 0 }
      }
      if !severities.isEmpty { table.group(group.title, to: &out) }
      for severity in severities {
        let counts = strip.columns.map { $0[PageHours.kind(group.decision, severity)] }
        let most = max(9, counts.max() ?? 0)
        let filter = "severity=\(severity.name)&amp;decision=\(group.name)"
        let cells = counts.enumerated().map { column, count -> PageStrip.Cell? in
          guard count > 0 else { return nil }
          return PageStrip.Cell(
            style: "h\(severity.rawValue) \(PageStrip.strength(count, of: most))",
            filter: "\(filter)&amp;\(table.filter(column))",
            words: "\(Plural.text(count, "finding")) from \(PageTime.minute(table.start(column)))",
            number: "\(count)")
        }
        table.row(cells, sum: counts.reduce(0, +), filter: filter, to: &out) { out in
          out.append("<span class=\"sev s\(severity.rawValue)\">\(severity.name)</span>")
        }
      }
    }
    table.end(to: &out)
  }
}
