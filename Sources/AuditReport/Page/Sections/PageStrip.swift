internal import AuditEngine
internal import Basics

/// A table of counts by time that reads aloud and prints: a row of columns for each kind.
struct PageStrip {
  let strip: TimeBins.Strip

  /// One cell with a count: its style, the filter that it leads to, its words, and its number.
  struct Cell {
    var style: String
    var filter: String
    var words: String
    var number: String
  }

  /// The largest number of columns in which a number fits.
  private static let numberedColumns = 32
  private static let day: Int64 = 86_400_000

  /// The duration of a column in words.
  var width: String {
    let hours = UInt64(strip.width / 3_600_000)
    return hours.isMultiple(of: 24) ? Plural.text(hours / 24, "day") : Plural.text(hours, "hour")
  }

  /// Returns the time at which a column begins.
  func start(_ column: Int) -> Int64 { strip.start + Int64(column) * strip.width }

  /// Returns the filter of the findings of a column.
  func filter(_ column: Int) -> String {
    "at=\(start(column))~\(start(column) + strip.width)"
  }

  /// Writes the beginning of the table with a dozen labels, each over as many columns.
  func begin(_ head: String, style: String = "strip", to out: inout RowBuffer) {
    out.append("<div class=\"scroll\"><table class=\"\(style)\"><thead><tr>")
    out.append("<th scope=\"col\">\(head)</th>")
    let count = strip.columns.count
    let step = max(1, (count + 11) / 12)
    var last: String?
    for column in stride(from: 0, to: count, by: step) {
      out.append("<th scope=\"colgroup\" colspan=\"\(min(step, count - column))\">")
      out.append(html: label(column, after: &last))
      out.append(ascii: "</th>")
    }
    out.append(ascii: "<th scope=\"col\">all</th></tr></thead><tbody>\n")
  }

  /// Returns the day of a column if it is not that of the label before, and the hour if a day has
  /// several columns.
  private func label(_ column: Int, after last: inout String?) -> String {
    let time = CivilTime(milliseconds: start(column))
    let day = String(strip.width < 7 * Self.day ? time.dateText.suffix(5) : time.dateText[...])
    let isNew = day != last
    last = day
    guard strip.width < Self.day else { return isNew ? day : "" }
    let hour = time.hour < 10 ? "0\(time.hour)" : "\(time.hour)"
    guard isNew else { return "\(hour)h" }
    return time.hour == 0 ? day : "\(day) \(hour)h"
  }

  func end(to out: inout RowBuffer) { out.append(ascii: "</tbody></table></div>\n") }

  /// Writes the title of the rows that follow.
  func group(_ title: String, to out: inout RowBuffer) {
    out.append("<tr><th class=\"group\" scope=\"colgroup\" colspan=\"\(strip.columns.count + 2)\">")
    out.append(ascii: "<bdi>")
    out.append(html: title)
    out.append(ascii: "</bdi></th></tr>\n")
  }

  /// Writes a row: a cell or none for each column, and the sum with the filter that it leads to.
  func row(
    _ cells: [Cell?], sum: UInt64, filter: String, to out: inout RowBuffer,
    head: (inout RowBuffer) -> Void
  ) {
    out.append(ascii: "<tr><th scope=\"row\">")
    head(&out)
    out.append(ascii: "</th>")
    for cell in cells {
      guard let cell else {
        out.append(ascii: "<td></td>")
        continue
      }
      out.append("<td class=\"\(cell.style)\"><a href=\"#\(cell.filter)\" aria-label=\"")
      out.append(html: cell.words)
      out.append(ascii: "\" title=\"")
      out.append(html: cell.words)
      out.append(ascii: "\">")
      out.append(cells.count <= Self.numberedColumns ? cell.number : "&nbsp;")
      out.append(ascii: "</a></td>")
    }
    out.append("<td class=\"sum\"><a href=\"#\(filter)\">\(SummaryNumber.grouped(sum))</a></td>")
    out.append(ascii: "</tr>\n")
  }

  /// Returns one of four strengths, by the logarithm of the count.
  static func strength(_ count: UInt64, of most: UInt64) -> String {
    let (part, whole) = (
      count.bitWidth - (count &+ 1).leadingZeroBitCount,
      most.bitWidth - (most &+ 1).leadingZeroBitCount
    )
    return "l\(max(1, min(4, part * 4 / max(1, whole))))"
  }
}
