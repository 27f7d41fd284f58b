internal import AppAttest
internal import AuditEngine

/// The parts of the page on the inputs, and on their coverage by the audit.
struct PageInputs {
  let page: ReportPage
  let facts: RunSummary

  func write(to out: inout RowBuffer) {
    writeInputs(to: &out)
    writeSilences(to: &out)
    writeCoverage(to: &out)
  }

  private static let inputLimit = 2000

  private func writeInputs(to out: inout RowBuffer) {
    out.heading("h2", "inputs", "Inputs")
    // A run may have very many inputs: none is copied that is not listed.
    let troubled = Array(facts.inputs.lazy.filter { $0.status.isTrouble }.prefix(Self.inputLimit))
    let others = facts.inputs.lazy.filter { !$0.status.isTrouble && $0.status != .known }
      .prefix(Self.inputLimit - troubled.count)
    out.table(
      ["input", "state", .number("lines"), .number("bytes"), "SHA-256"], label: "Inputs",
      (troubled + others).map { input in
        let state = input.status.rawValue
        return [
          .text(input.source),
          input.status.isTrouble ? PageCell { $0.element("b", state) } : .word(state),
          .count(input.lines), .count(input.bytes),
          PageCell { $0.element("span", ["class": "mono"], input.sha256?.hex ?? "") },
        ]
      })
    let known = facts.known
    if known > 0 {
      out.note(
        "\(SummaryNumber.counted(known, "input")) did not change since an earlier run read "
          + "\(known == 1 ? "it" : "them"): see summary.json.")
    }
    if facts.inputs.count - known > Self.inputLimit {
      out.note(
        SummaryNumber.counted(facts.inputs.count - known - Self.inputLimit, "further input")
          + ": see summary.json.")
    }
  }

  private func writeSilences(to out: inout RowBuffer) {
    out.heading("h3", "silent", "Silent hours")
    guard !facts.silences.isEmpty else {
      return out.note("No input that arrived is silent for whole hours between others.")
    }
    out.note(
      "Hours in which a log has no record, although it has many in other hours. Logs that are rotated are "
        + "taken together. Findings of these hours about unknown keys and "
        + "challenges might only be the missing log.")
    out.table(
      [
        "input", "from", "to", .number("usual in an hour"), .number("findings that it may explain"),
      ],
      facts.silences.map { silence in
        let count = page.absences(in: silence)
        return [
          .text(silence.source), .time(silence.from), .time(silence.to), .count(silence.usual),
          .count(count, link: count > 0 ? "at=\(silence.from)~\(silence.to)" : nil),
        ]
      })
  }

  private func writeCoverage(to out: inout RowBuffer) {
    let totals = facts.totals
    out.heading("h2", "coverage", "Not checked")
    let rows: [(UInt64, String, String)] = [
      (totals.notAudited, "record.not_audited", "lines with App Attest tokens that no rule reads"),
      (totals.unreadable, "record", "lines that could not be read: see rejects.jsonl"),
      (
        totals.count(.unverifiable), "key",
        "assertions and attestations that could not be verified"
      ),
      (totals.skipped, "", "lines that the schema passes over, or of other platforms"),
      (totals.deviceCheckTokens, "", "DeviceCheck tokens: nothing of them can be verified offline"),
      (totals.acceptedFindings, "", "findings kept out of this report by accept:"),
    ].filter { $0.0 > 0 }
    out.element("dl") { out in
      for (count, code, text) in rows.isEmpty ? [(0, "", "Every line was audited.")] : rows {
        let cell = PageCell.count(count, link: code.isEmpty ? nil : "code=\(code)")
        out.element("dt", [:], cell.content)
        out.element("dd", text)
      }
    }
    guard !facts.blindSpots.isEmpty else { return }
    out.element("h3", "What this log cannot show")
    out.element("ul") { out in
      for spot in facts.blindSpots {
        out.element("li") { out in
          out.append(html: PageText.cut(spot.evidence) + " " + PageText.cut(spot.action))
          for code in spot.codes {
            out.append(ascii: " ")
            out.element("code", code.name)
          }
        }
      }
    }
  }
}
