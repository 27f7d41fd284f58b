import ArgumentParser
import AuditReport
import AuditState
import Basics

/// `attest-audit state info`: prints the size of a state in numbers.
struct StateInfoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract: "Print the contents of the state, and the results of the last runs.")

  @OptionGroup var argument: StateArgument

  @Flag(help: "Print one JSON object instead of text.")
  var json = false

  func run() throws {
    let state = try argument.openToRead()
    let info = try argument.told { () throws(StateError) in try state.info() }
    if json {
      return Console.print(rows: try JSONText.pretty(StateInfoJSON(info)))
    }
    Console.print(Self.text(info))
  }

  static func text(_ info: StateInfo) -> String {
    let number = SummaryNumber.grouped
    var rows = [
      ("format", "\(info.format)"), ("size", ProgressText.size(Int(clamping: info.bytes))),
      ("keys", number(info.keys)), ("inputs", number(info.inputs)),
      ("findings", "\(number(info.openFindings)) open, \(number(info.closedFindings)) closed"),
      (
        "hashes",
        "\(number(info.rememberedHashes)) remembered in \(info.hashSegments) segments"
          + (info.oldestHashes.map { ", the oldest of \(CivilTime(milliseconds: $0).text)" } ?? "")
      ),
      ("kept rows", "\(number(info.keptRows)) in \(info.keptSegments) segments"),
      ("runs", number(UInt64(clamping: info.runs))),
      (
        "generations",
        info.generations.isEmpty
          ? "none" : "before run " + info.generations.map(String.init).joined(separator: ", ")
      ),
    ]
    for run in info.latest {
      let totals = run.totals
      rows.append(
        (
          "run \(run.number)",
          "\(run.mode) of \(run.day), finished \(CivilTime(milliseconds: run.finished).text): "
            + "\(number(totals.records)) records, \(number(totals.findings)) findings, "
            + "\(number(totals.newFindings)) new"
        ))
    }
    let width = (rows.map(\.0.count).max() ?? 0) + 2
    return rows.map { name, value in
      name + String(repeating: " ", count: width - name.count) + OneLine.escape(value) + "\n"
    }.joined()
  }
}

/// The object that `--json` prints.
private struct StateInfoJSON: Encodable {
  struct Run: Encodable {
    var number: Int64
    var id: String
    var day: String
    var startedAt: String
    var finishedAt: String
    var mode: String
    var report: String?
    var lines: UInt64
    var records: UInt64
    var rejects: UInt64
    var findings: UInt64
    var newFindings: UInt64
  }

  var format: Int
  var bytes: UInt64
  var keys: UInt64
  var inputs: UInt64
  var openFindings: UInt64
  var closedFindings: UInt64
  var rememberedHashes: UInt64
  var hashSegments: Int
  var keptRows: UInt64
  var keptSegments: Int
  var runs: Int64
  var generations: [Int64]
  var latestRuns: [Run]

  init(_ info: StateInfo) {
    format = info.format
    bytes = info.bytes
    keys = info.keys
    inputs = info.inputs
    openFindings = info.openFindings
    closedFindings = info.closedFindings
    rememberedHashes = info.rememberedHashes
    hashSegments = info.hashSegments
    keptRows = info.keptRows
    keptSegments = info.keptSegments
    runs = info.runs
    generations = info.generations
    latestRuns = info.latest.map { run in
      Run(
        number: run.number, id: run.id, day: run.day,
        startedAt: CivilTime(milliseconds: run.started).text,
        finishedAt: CivilTime(milliseconds: run.finished).text, mode: run.mode,
        report: run.report, lines: run.totals.lines, records: run.totals.records,
        rejects: run.totals.rejects, findings: run.totals.findings,
        newFindings: run.totals.newFindings)
    }
  }
}
