internal import AuditEngine
internal import AuditLog
internal import Basics

/// A table of counts by time that reads aloud and prints: a row of columns for each kind.
struct PageStrip {
  let strip: TimeBins.Strip

  static let columns = 72

  /// The largest number of columns in which a number fits.
  private static let numberedColumns = 32
  private static let day: Int64 = 86_400_000

  var width: String {
    let hours = UInt64(strip.width / 3_600_000)
    return hours.isMultiple(of: 24) ? Plural.text(hours / 24, "day") : Plural.text(hours, "hour")
  }

  func start(_ column: Int) -> Int64 { strip.start + Int64(column) * strip.width }

  /// Writes the table with a dozen labels, each over as many columns, and the rows that `rows` writes.
  func write(
    _ head: String, style: String = "strip", to out: inout RowBuffer, _ rows: RowBuffer.Content
  ) {
    let count = strip.columns.count
    let step = max(1, (count + 11) / 12)
    out.table(style) { out in
      out.element("th", ["scope": "col"], head)
      var last: String?
      for column in stride(from: 0, to: count, by: step) {
        out.element(
          "th", ["scope": "colgroup", "colspan": "\(min(step, count - column))"],
          label(column, after: &last))
      }
      out.element("th", ["scope": "col"], "all")
    } body: {
      rows(&$0)
    }
  }

  /// Returns the day of a column if it is a new one, and the hour if a day has several columns.
  private func label(_ column: Int, after last: inout String?) -> String {
    let time = CivilTime(milliseconds: start(column))
    let day = String(strip.width < 7 * Self.day ? time.dateText.suffix(5) : time.dateText[...])
    let isNew = day != last
    last = day
    guard strip.width < Self.day else { return isNew ? day : "" }
    let hour = "\(time.hour)".zeroPadded(to: 2)
    guard isNew else { return "\(hour)h" }
    return time.hour == 0 ? day : "\(day) \(hour)h"
  }

  func group(_ title: String, to out: inout RowBuffer) {
    let attributes: RowBuffer.Attributes = [
      "class": "group", "scope": "colgroup", "colspan": "\(strip.columns.count + 2)",
    ]
    out.element("tr") { $0.element("th", attributes) { $0.bdi(title) } }
  }

  struct Row {
    let noun: String
    let counts: [UInt64]
    let severity: Severity
    let filter: String
    /// The counts of those that the server rejected, if the row has others, too.
    var rejected: [UInt64] = []
    var number: (UInt64) -> String = { "\($0)" }
  }

  func write(_ row: Row, to out: inout RowBuffer, head: RowBuffer.Content) {
    let most = max(9, row.counts.max() ?? 0)
    out.element("tr") { out in
      out.element("th", ["scope": "row"], head)
      for (column, count) in row.counts.enumerated() {
        guard count > 0 else {
          out.element("td")
          continue
        }
        let (from, rejected) = (start(column), row.rejected.isEmpty ? 0 : row.rejected[column])
        let style = "h\(row.severity.rawValue) \(Self.strength(count, of: most))"
        let words =
          "\(Plural.text(count, row.noun)) from \(PageTime.minute(from))"
          + (rejected > 0 ? ", \(SummaryNumber.grouped(rejected)) rejected" : "")
        let link = "#\(row.filter)&at=\(from)~\(from + strip.width)"
        out.element("td", ["class": style + (rejected > 0 ? " rejects" : "")]) { out in
          out.element("a", ["href": link, "aria-label": words, "title": words]) { out in
            out.append(row.counts.count <= Self.numberedColumns ? row.number(count) : "&nbsp;")
          }
        }
      }
      let sum = SummaryNumber.grouped(row.counts.reduce(0, &+))
      out.element("td", ["class": "sum"]) { $0.link(row.filter, sum) }
    }
  }

  /// Returns one of four strengths, by the logarithm of the count.
  private static func strength(_ count: UInt64, of most: UInt64) -> String {
    let (part, whole) = (
      count.bitWidth - (count &+ 1).leadingZeroBitCount,
      most.bitWidth - (most &+ 1).leadingZeroBitCount
    )
    return "l\(max(1, min(4, part * 4 / max(1, whole))))"
  }
}

/// Findings by time, decision and severity: the heat strip.
struct PageHours {
  static let limit = 4096

  private(set) var bins = TimeBins(kinds: 3 * Severity.allCases.count, limit: PageHours.limit)
  private(set) var timeless: UInt64 = 0

  static func kind(_ decision: Decision, _ severity: Severity) -> Int {
    Int(decision.rawValue) * Severity.allCases.count + Int(severity.rawValue)
  }

  /// Takes a finding. The times of the findings ascend.
  mutating func add(_ finding: Finding) {
    guard let time = finding.time else {
      timeless += 1
      return
    }
    bins.add(TimeBins.hour(of: time), Self.kind(finding.decision, finding.severity))
  }

  func strip() -> TimeBins.Strip? { bins.strip(PageStrip.columns) }

  static func write(_ hours: PageHours, to out: inout RowBuffer) {
    out.heading("h2", "when", "When")
    guard let strip = hours.strip() else { return out.element("p", "No finding has a time.") }
    let table = PageStrip(strip: strip)
    let missing = hours.timeless + strip.outside
    out.note(
      "Findings by time and severity, each column \(table.width): the stronger the colour, the more. "
        + "A cell leads to its findings; the arrow keys go from one to the next."
        + (missing > 0
          ? " Not drawn: \(Plural.text(missing, "finding")) without a time or outside." : ""))
    table.write("severity", to: &out) { out in
      for (decision, name, _) in PageBody.decisions {
        let severities = Severity.allCases.reversed().filter { severity in
          strip.columns.contains { $0[kind(decision, severity)] > 0 }
        }
        if !severities.isEmpty {
          table.group(
            decision == .unknown
              ? "Decision not logged"
              : decision == .accepted ? "Accepted by the server" : "Rejected by the server",
            to: &out)
        }
        for severity in severities {
          let row = PageStrip.Row(
            noun: "finding", counts: strip.columns.map { $0[kind(decision, severity)] },
            severity: severity, filter: "severity=\(severity.name)&decision=\(name)")
          table.write(row, to: &out) { out in
            out.element("span", ["class": "sev s\(severity.rawValue)"], severity.name)
          }
        }
      }
    }
  }
}
