import AppAttest
import ArgumentParser
import AuditEngine
import AuditReport
import AuditSettings
import AuditState

/// `attest-audit state findings`: lists the open findings.
struct StateFindingsCommand: ParsableCommand {
  /// The form of a list.
  enum Form: String, ExpressibleByArgument, CaseIterable {
    case text, csv, jsonl
  }

  static let configuration = CommandConfiguration(
    commandName: "findings",
    abstract: "List the open findings: those that a run reported and no later run withdrew.",
    discussion: """
      The most severe findings are first, by the worst severity with which each was ever reported. \
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

  @Option(
    help: ArgumentHelp(
      "List only findings that were reported on this day or later.", valueName: "day"))
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
    try state.forEachFinding(
      filter,
      { (finding) throws(CommandError) in
        count += 1
        let row = StandingFindingRow(finding: finding)
        switch format {
        case .text: Console.print(row.text)
        case .csv: Console.print(rows: TextRow.csv(row.values, guarded: true))
        case .jsonl: Console.print(rows: row.json)
        }
      }, or: { CommandError($0, path: argument.state) })
    if format == .text {
      let words = SummaryNumber.counted(Int(clamping: count), "open finding")
      Console.print(count == 0 ? "no open findings\n" : words + "\n")
    }
  }

  private func filter() throws(CommandError) -> FindingFilter {
    var filter = FindingFilter()
    filter.keys = try key.map { text throws(CommandError) in
      try KeyName(text, origin: "--key: ").range
    }
    filter.severity = try Self.value("--severity", severity, .severity)
    filter.since = try Self.value("--since", since, .day)
    filter.codes = try code.map { name throws(CommandError) in
      try CodeNames.codes(name, origin: "--code")
    }
    return filter
  }

  private static func value<Value>(
    _ flag: String, _ text: String?, _ format: SettingFormat<Value>
  ) throws(CommandError) -> Value? {
    guard let text else { return nil }
    switch format.read(text) {
    case .success(let value): return value
    case .failure(let complaint): throw CommandError(.usage, "\(flag): \(complaint.text)")
    }
  }
}
