internal import AuditEngine
internal import AuditLog
internal import Basics

/// The heat strip: findings by decision, severity and hour, as a table that reads aloud and prints.
struct PageStripTable {
  let hours: PageHours

  private static let groups: [(decision: Decision, name: String, title: String)] = [
    (.accepted, "accepted", "Accepted by the server"),
    (.rejected, "rejected", "Rejected by the server"),
    (.unknown, "unknown", "Decision not logged"),
  ]
  /// The largest number of columns in which a number fits.
  private static let numberedColumns = 32

  /// Writes the section.
  func write(to out: inout RowBuffer) {
    out.append(ascii: "<h2 id=\"when\" tabindex=\"-1\">When</h2>\n")
    guard let strip = hours.strip() else {
      return out.append(ascii: "<p>No finding has a time.</p>\n")
    }
    out.append(ascii: "<p class=\"note\">")
    out.append(
      html: "Findings by time and severity, each column \(Self.width(strip.width)): the stronger "
        + "the colour, the more. A cell leads to its findings; the arrow keys go from one to the "
        + "next.")
    let missing = hours.timeless + strip.outside
    if missing > 0 {
      out.append(html: " Not drawn: \(Plural.text(missing, "finding")) without a time or outside.")
    }
    out.append(ascii: "</p>\n<div class=\"scroll\"><table class=\"strip\"><thead><tr>")
    out.append(ascii: "<th scope=\"col\">severity</th>")
    writeLabels(strip, to: &out)
    out.append(ascii: "<th scope=\"col\">all</th></tr></thead><tbody>\n")
    for group in Self.groups { write(group, strip, to: &out) }
    out.append(ascii: "</tbody></table></div>\n")
  }

  /// Writes a dozen labels, each over as many columns. A label that equals the one before is left
  /// out.
  private func writeLabels(_ strip: PageHours.Strip, to out: inout RowBuffer) {
    let count = strip.columns.count
    let step = max(1, count / 12)
    var last = ""
    for column in stride(from: 0, to: count, by: step) {
      let label = Self.label(strip, column)
      out.append("<th scope=\"colgroup\" colspan=\"\(min(step, count - column))\">")
      if label != last { out.append(html: label) }
      out.append(ascii: "</th>")
      last = label
    }
  }

  private func write(
    _ group: (decision: Decision, name: String, title: String), _ strip: PageHours.Strip,
    to out: inout RowBuffer
  ) {
    let severities = Severity.allCases.reversed().filter { severity in
      let place = PageHours.place(group.decision, severity)
      return strip.columns.contains { $0[place] > 0 }
    }
    guard !severities.isEmpty else { return }
    out.append("<tr><th class=\"group\" scope=\"colgroup\" colspan=\"\(strip.columns.count + 2)\">")
    out.append("\(group.title)</th></tr>\n")
    for severity in severities {
      let counts = strip.columns.map { $0[PageHours.place(group.decision, severity)] }
      let most = max(9, counts.max() ?? 0)
      out.append("<tr><th scope=\"row\"><span class=\"sev s\(severity.rawValue)\">")
      out.append("\(severity.name)</span></th>")
      for (column, count) in counts.enumerated() {
        guard count > 0 else {
          out.append(ascii: "<td></td>")
          continue
        }
        let from = strip.start + Int64(column) * strip.width
        out.append("<td class=\"h\(severity.rawValue) l\(Self.strength(count, most))\">")
        out.append("<a href=\"#severity=\(severity.name)&amp;decision=\(group.name)&amp;at=")
        out.append("\(from)~\(from + strip.width)\" aria-label=\"")
        out.append(html: "\(Plural.text(count, "finding")) from \(PageTime.minute(from))")
        out.append(ascii: "\">")
        if strip.columns.count <= Self.numberedColumns {
          out.append(decimal: count)
        } else {
          out.append(ascii: "&nbsp;")
        }
        out.append(ascii: "</a></td>")
      }
      out.append(
        "<td class=\"sum\"><a href=\"#severity=\(severity.name)&amp;decision=\(group.name)\">")
      out.append(SummaryNumber.grouped(counts.reduce(0, +)))
      out.append(ascii: "</a></td></tr>\n")
    }
  }

  /// Returns one of four strengths, by the logarithm of the count.
  private static func strength(_ count: UInt64, _ most: UInt64) -> Int {
    let (part, whole) = (
      count.bitWidth - (count + 1).leadingZeroBitCount,
      most.bitWidth - (most + 1).leadingZeroBitCount
    )
    return max(1, min(4, part * 4 / max(1, whole)))
  }

  private static func width(_ milliseconds: Int64) -> String {
    let hours = UInt64(milliseconds / 3_600_000)
    return hours.isMultiple(of: 24) ? Plural.text(hours / 24, "day") : Plural.text(hours, "hour")
  }

  private static func label(_ strip: PageHours.Strip, _ column: Int) -> String {
    let time = CivilTime(milliseconds: strip.start + Int64(column) * strip.width)
    if strip.width < 86_400_000, strip.columns.count <= 48 {
      let hour = String(time.hour)
      return hour.count < 2 ? "0" + hour : hour
    }
    return String(time.dateText.suffix(5))
  }
}
