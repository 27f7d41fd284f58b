internal import AppAttest
internal import AuditEngine
internal import Basics

/// The first sentence of the page: the most severe severity, the new findings, the beginning, and
/// the place to look at first.
struct PageSentence {
  let page: ReportPage
  let facts: PageFacts

  /// The most severe severity that was found and determines the colour of the page.
  var level: Severity {
    page.codes.found.map(\.entry.worst).max() ?? .info
  }

  /// Whether an input was not read whole, so that numbers are lower bounds.
  private var isPartial: Bool {
    facts.inputs.contains {
      $0.status == .truncated || $0.status == .corrupt || $0.status == .unreadable
    } || facts.totals.notAudited > 0
  }

  /// Writes the sentence as HTML.
  func write(to out: inout RowBuffer) {
    let grave = page.codes.grave
    let (unknown, accepted, rejected) = (grave.requests[0], grave.requests[1], grave.requests[2])
    let scope = isPartial ? " in what could be audited" : ""
    if accepted > 0 {
      bold(
        "\(least)\(Plural.text(accepted, "accepted request", capital: !isPartial)) should have "
          + "been rejected", &out)
      if facts.hasState, grave.new > 0 {
        out.append(ascii: ", ")
        bold("\(grave.new) of them new", &out)
      }
      span(grave, &out)
      begin(&out)
    } else if grave.uncertain > 0 {
      let requests = Plural.text(grave.uncertain, "request", capital: !isPartial)
      bold("\(least)\(requests) may have been accepted", &out)
      out.append(
        html: unknown > 0
          ? ": there are severe findings, and the log does not say what the server decided"
          : "; read below why that cannot be ruled out")
      begin(&out)
    } else if rejected > 0 || level >= .high {
      bold("No request with a severe finding was accepted\(scope)", &out)
      out.append(
        html: rejected > 0
          ? "; the server rejected \(Plural.text(rejected, "request")) that deserved it"
          : "; read below what needs a look")
    } else {
      bold("Nothing severe was found\(scope)", &out)
      if page.rows.total > 0 {
        out.append(html: " among \(Plural.text(page.rows.total, "finding"))")
      }
    }
    out.append(ascii: ".")
  }

  private var least: String { isPartial ? "At least " : "" }

  private func bold(_ text: String, _ out: inout RowBuffer) {
    out.append(ascii: "<b>")
    out.append(html: text)
    out.append(ascii: "</b>")
  }

  private func span(_ grave: PageCodes.Grave, _ out: inout RowBuffer) {
    guard let first = grave.first.map(PageTime.minute), let last = grave.last.map(PageTime.minute)
    else { return }
    out.append(html: first == last ? ", at \(first) UTC" : ", between \(first) and \(last) UTC")
  }

  private func begin(_ out: inout RowBuffer) {
    guard let worst = page.keys.worst.first, worst.count.accepted > 0 || worst.count.worst >= .high
    else {
      return
    }
    let hex = worst.keyID.hex
    out.append(html: "; begin with key ")
    out.append("<a class=\"mono\" href=\"#key=\(hex)\">\(hex.prefix(12))</a>")
  }
}

/// Numbers with their nouns.
enum Plural {
  static func text(_ count: UInt64, _ noun: String, capital: Bool = false) -> String {
    let number = SummaryNumber.grouped(count)
    return count == 1 ? "\(capital ? "One" : "one") \(noun)" : "\(number) \(noun)s"
  }
}

/// Times on the page.
enum PageTime {
  /// Returns a time as in `2026-03-01 02:19`.
  static func minute(_ time: Int64) -> String {
    let text = CivilTime(milliseconds: time).text
    return String(text.prefix(text.utf8.count - 8)).replacing("T", with: " ")
  }
}
