import AppAttest
import ArgumentParser
import AuditEngine
import AuditReport
import AuditSettings
import AuditState
import Basics

struct StateFindingsCommand: StateUser {
  enum Form: String, ExpressibleByArgument, CaseIterable {
    case text, csv, jsonl
  }

  static let configuration = CommandConfiguration.named(
    "findings", "List the open findings: those that a run reported and no later run withdrew.",
    """
    The most severe findings are first, by the worst severity with which each was ever reported. \
    Of one severity, those of the last run are first. \
    Findings that the pipeline file accepts are in the list, with a mark.
    """)

  @OptionGroup var argument: StateArgument

  @Option(
    help:
      "List only findings of this key: hex, base64 or base64url, or its first 8 hex digits or more."
  )
  var key: String?

  @Option(help: "List only findings of this code or family.", completion: CodeNames.completion)
  var code: String?

  @Option(
    help: "List only findings of this severity or a more severe one.",
    completion: .list(Severity.allCases.map(\.name)))
  var severity: String?

  @Option(help: .of("day", "List only findings that were reported on this day or later."))
  var since: String?

  @Option(help: "Print as text, csv or jsonl.")
  var format = Form.text

  func run() throws {
    let filter = try self.filter()
    let state = try argument.openToRead()
    if format == .csv {
      Console.print(rows: TextRow.csv(StandingFindingRow.columns, guarded: false))
    }
    var count: UInt64 = 0
    try state.forEachFinding(filter) { finding in
      count += 1
      let row = StandingFindingRow(finding: finding)
      switch format {
      case .text: Console.print(row.text)
      case .csv: Console.print(rows: TextRow.csv(row.values, guarded: true))
      case .jsonl: Console.print(rows: row.json)
      }
    }
    if format == .text {
      let words = SummaryNumber.counted(Int(clamping: count), "open finding")
      Console.print(count == 0 ? "no open findings\n" : words + "\n")
    }
  }

  private func filter() throws -> FindingFilter {
    var filter = FindingFilter()
    filter.keys = try key.map { try KeyName($0, origin: "--key: ").range }
    filter.severity = try SettingFormat<Severity>.severity.value(severity, of: "--severity")
    filter.since = try SettingFormat<String>.day.value(since, of: "--since")
    filter.codes = try code.map { try CodeNames.codes($0, origin: "--code") }
    return filter
  }
}

struct StandingFindingRow {
  let finding: StandingFinding
  private var entry: FindingTable.Entry { finding.entry }

  /// The columns of `state findings`. Those that `findings.csv` has mean the same here.
  static let columns = [
    "severity", "code", "time", "key_id", "app_id", "source", "line", "fingerprint", "first_seen",
    "last_seen", "times_seen", "accepted",
  ]

  var values: [String] {
    [
      entry.worst.name, entry.code, time, entry.keyID?.hex ?? "", entry.appID,
      finding.source, finding.source.isEmpty ? "" : "\(line)",
      Fingerprint.text(entry.fingerprint), entry.firstDay, finding.lastSeen,
      "\(entry.times)", entry.isAccepted ? "true" : "false",
    ]
  }

  var json: String {
    TextRow.json(Array(zip(Self.columns, values)), bare: ["line", "times_seen", "accepted"])
  }

  var text: String {
    let key = entry.keyID.map { "key " + $0.hex.prefix(16) } ?? "no key"
    let seen =
      entry.times > 1
      ? "\(entry.times) times from \(entry.firstDay) to \(finding.lastSeen)"
      : "on \(entry.firstDay)"
    return [
      entry.worst.name.padded(to: 8) + "  " + entry.code.padded(to: 30) + "  "
        + (time.isEmpty ? "no time" : time),
      Self.margin + Fingerprint.text(entry.fingerprint) + "  "
        + PrintableText.place(finding.source, line: line, limit: 500),
      Self.margin + "\(key), reported \(seen)" + (entry.isAccepted ? ", accepted" : ""),
    ].map { OneLine.escape($0) + "\n" }.joined()
  }

  private static let margin = "".padded(to: 10)

  private var line: UInt64 { entry.position?.line ?? 0 }
  private var time: String { KeptKeyRow.time(entry.time) }
}
