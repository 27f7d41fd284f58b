internal import AppAttest
internal import AuditEngine

/// The parts of the page on the inputs, and on their coverage by the audit.
struct PageInputs {
  let facts: PageFacts
  let absences: PageAbsences

  /// Writes both parts.
  func write(to out: inout RowBuffer) {
    writeInputs(to: &out)
    writeSilences(to: &out)
    writeCoverage(to: &out)
  }

  /// The largest number of inputs that are listed.
  private static let inputLimit = 2000

  private func writeInputs(to out: inout RowBuffer) {
    out.append(ascii: "<h2 id=\"inputs\" tabindex=\"-1\">Inputs</h2>\n")
    out.append(
      ascii: "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Inputs\">")
    out.append(ascii: "<table class=\"cards\"><thead><tr>")
    out.append(ascii: "<th scope=\"col\">input</th><th scope=\"col\">state</th>")
    out.append(
      ascii: "<th scope=\"col\" class=\"n\">lines</th><th scope=\"col\" class=\"n\">bytes</th>")
    out.append(ascii: "<th scope=\"col\">SHA-256</th></tr></thead><tbody>\n")
    // A run may have very many inputs: none is copied that is not listed.
    let troubled = Array(
      facts.inputs.lazy.filter { $0.status.isTrouble }.prefix(Self.inputLimit))
    let others = facts.inputs.lazy.filter { !$0.status.isTrouble }
      .prefix(Self.inputLimit - troubled.count)
    for input in troubled + others {
      out.append(ascii: "<tr>")
      out.append(cell: PageText.cut(input.source), label: "input")
      out.append(ascii: "<td data-name=\"state\">")
      if input.status.isTrouble { out.append(ascii: "<b>") }
      out.append(html: input.status.rawValue)
      if input.status.isTrouble { out.append(ascii: "</b>") }
      out.append(ascii: "</td>")
      out.append(cell: input.lines, label: "lines")
      out.append(cell: input.bytes, label: "bytes")
      out.append(ascii: "<td class=\"mono\" data-name=\"SHA-256\">")
      if let digest = input.sha256 { out.append(hex: digest) }
      out.append(ascii: "</td></tr>\n")
    }
    out.append(ascii: "</tbody></table></div>\n")
    if facts.inputs.count > Self.inputLimit {
      out.append(ascii: "<p class=\"note\">")
      out.append(
        html: SummaryNumber.counted(facts.inputs.count - Self.inputLimit, "further input")
          + ": see summary.json.")
      out.append(ascii: "</p>\n")
    }
  }

  private func writeSilences(to out: inout RowBuffer) {
    out.append(ascii: "<h3 id=\"silent\" tabindex=\"-1\">Silent hours</h3>\n")
    guard !facts.silences.isEmpty else {
      return out.append(
        ascii: "<p class=\"note\">No input is silent for whole hours between others.</p>\n")
    }
    out.append(ascii: "<p class=\"note\">")
    out.append(
      html:
        "Hours in which a log has no record, although it has many in other hours. Logs that are rotated are "
        + "taken together. Findings of these hours about unknown keys and "
        + "challenges might only be the missing log.")
    out.append(ascii: "</p>\n<div class=\"scroll\"><table class=\"cards\"><thead><tr>")
    for head in ["input", "from", "to"] { out.append("<th scope=\"col\">\(head)</th>") }
    for head in ["usual in an hour", "findings that it may explain"] {
      out.append("<th scope=\"col\" class=\"n\">\(head)</th>")
    }
    out.append(ascii: "</tr></thead><tbody>\n")
    for silence in facts.silences {
      out.append(ascii: "<tr><td data-name=\"input\"><bdi>")
      out.append(html: PageText.cut(silence.source))
      out.append("</bdi></td><td data-name=\"from\">\(PageTime.minute(silence.from))</td>")
      out.append("<td data-name=\"to\">\(PageTime.minute(silence.to))</td>")
      out.append(ascii: "<td class=\"n\" data-name=\"usual in an hour\">")
      out.append(SummaryNumber.grouped(silence.usual))
      out.append(ascii: "</td><td class=\"n\" data-name=\"findings that it may explain\">")
      let count = absences.count(from: silence.from, to: silence.to)
      if count > 0 {
        out.append("<a href=\"#at=\(silence.from)~\(silence.to)\">")
        out.append(SummaryNumber.grouped(count))
        out.append(ascii: "</a>")
      } else {
        out.append(ascii: "0")
      }
      out.append(ascii: "</td></tr>\n")
    }
    out.append(ascii: "</tbody></table></div>\n")
  }

  private func writeCoverage(to out: inout RowBuffer) {
    let totals = facts.totals
    out.append(ascii: "<h2 id=\"coverage\" tabindex=\"-1\">Not checked</h2>\n<dl>")
    let rows: [(UInt64, String, String)] = [
      (totals.notAudited, "record.not_audited", "lines with App Attest tokens that no rule reads"),
      (totals.unreadable, "record", "lines that could not be read: see rejects.jsonl"),
      (
        totals.verdicts[Int(Verdict.unverifiable.rawValue)], "key",
        "assertions and attestations that could not be verified"
      ),
      (totals.skipped, "", "lines that the schema passes over, or of other platforms"),
      (totals.deviceCheckTokens, "", "DeviceCheck tokens: nothing of them can be verified offline"),
      (totals.acceptedFindings, "", "findings kept out of this report by accept:"),
    ]
    for (count, code, text) in rows where count > 0 {
      out.append(ascii: "<dt>")
      if code.isEmpty {
        out.append(SummaryNumber.grouped(count))
      } else {
        out.append("<a href=\"#code=\(code)\">\(SummaryNumber.grouped(count))</a>")
      }
      out.append(ascii: "</dt><dd>")
      out.append(html: text)
      out.append(ascii: "</dd>")
    }
    if rows.allSatisfy({ $0.0 == 0 }) {
      out.append(ascii: "<dt>0</dt><dd>Every line was audited.</dd>")
    }
    out.append(ascii: "</dl>\n")
    guard !facts.blindSpots.isEmpty else { return }
    out.append(ascii: "<h3>What this log cannot show</h3>\n<ul>\n")
    for spot in facts.blindSpots {
      out.append(ascii: "<li>")
      out.append(html: PageText.cut(spot.evidence) + " " + PageText.cut(spot.action))
      for code in spot.codes { out.append(" <code>\(code.name)</code>") }
      out.append(ascii: "</li>\n")
    }
    out.append(ascii: "</ul>\n")
  }
}

extension InputRow.Status {
  /// Whether some of the input is not in the numbers.
  fileprivate var isTrouble: Bool {
    switch self {
    case .truncated, .corrupt, .unreadable: true
    default: false
    }
  }
}
