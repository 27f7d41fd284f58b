import ArgumentParser
import AuditEngine
import AuditReport
import AuditSettings
import Basics

struct DiffCommand: StatusCommand {
  enum Form: String, ExpressibleByArgument, CaseIterable {
    case text, jsonl
  }

  static let configuration = CommandConfiguration.named(
    "diff", "Compare two reports: print findings that are new, gone, more or less severe.",
    """
    Two findings are the same if their fingerprints are equal, wherever the logs are. Accepted \
    findings are not compared.

    Exit status: 0 no finding is new or more severe, 1 at least one is; from 64 on as for audit.
    """)

  @Argument(help: .of("earlier", "Compare this earlier report folder."))
  var earlier: String

  @Argument(help: .of("later", "Compare it with this later report folder."))
  var later: String

  @Option(help: "Print as text or jsonl.")
  var format = Form.text

  func status() throws -> ExitStatus {
    let reports = (try StoredReport(path: earlier), try StoredReport(path: later))
    for report in [reports.0, reports.1] {
      for complaint in try report.complaints() {
        Console.note("warning: the report \(report.path) was changed: \(complaint)")
      }
    }
    if Set(reports.0.summary.inputs.map(\.sha256)) != Set(reports.1.summary.inputs.map(\.sha256)) {
      Console.note(
        "notice: the reports are about different inputs: what is gone may just not have been read")
    }
    var difference = ReportDifference(earlier: reports.0, later: reports.1)
    switch format {
    case .text:
      try difference.compare { Console.print(Self.text($0)) }
      Console.print(Self.sum(difference))
    case .jsonl: try difference.compare { Console.print(rows: $0.json) }
    }
    return difference.counts[.new] == nil && difference.counts[.moreSevere] == nil
      ? .clean : .findings
  }

  private static func sum(_ difference: ReportDifference) -> String {
    let parts = ReportDifference.Change.allCases.map { change in
      "\(SummaryNumber.grouped(difference.counts[change] ?? 0)) \(change.rawValue)"
    }
    return parts.joined(separator: ", ") + ", \(SummaryNumber.grouped(difference.same)) in both\n"
  }

  private static func text(_ entry: ReportDifference.Entry) -> String {
    let finding = entry.finding
    let severity =
      entry.earlier.map { "\($0.name) > \(finding.severity.name)" } ?? finding.severity.name
    let time = finding.time.map { CivilTime(milliseconds: $0).text } ?? "no time"
    let change = entry.change.rawValue.padded(to: 11)
    return [change, severity.padded(to: 8), finding.code.name.padded(to: 27), time]
      .joined(separator: "  ") + "\n" + "".padded(to: 13)
      + Fingerprint.text(finding.fingerprint) + "  "
      + PrintableText.place(entry.source, line: finding.position.line, limit: 100) + "\n"
  }
}
