import ArgumentParser
import AuditReport
import AuditState
import Basics

struct StateInfoCommand: StateUser {
  static let configuration = CommandConfiguration.named(
    "info", "Print the contents of the state, and the results of the last runs.")

  @OptionGroup var argument: StateArgument

  @Flag(help: "Print one JSON object instead of text.")
  var json = false

  func run() throws {
    let state = try argument.openToRead()
    let info = try state.info()
    if json {
      return Console.print(rows: try JSONText.pretty(members: info.members))
    }
    Console.print(Self.text(info))
  }

  static func text(_ info: StateInfo) -> String {
    let number = SummaryNumber.grouped
    var rows = [
      ("format", "\(info.format)"), ("size", ProgressText.size(Int(clamping: info.bytes))),
      ("keys", number(info.keys)), ("inputs", number(info.inputs)),
      ("findings", "\(number(info.openFindings)) open, \(number(info.closedFindings)) withdrawn"),
      (
        "hashes",
        "\(number(info.rememberedHashes)) remembered in \(info.hashSegments) segments"
          + (info.oldestHashes.map { ", the oldest written at \(CivilTime(milliseconds: $0).text)" }
            ?? "")
      ),
      ("kept rows", "\(number(info.keptRows)) in \(info.keptSegments) segments"),
      (
        "runs",
        number(UInt64(clamping: info.runs))
          + (Int(info.runs) > info.latest.count ? ", the last \(info.latest.count) below" : "")
      ),
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
            + "\(number(totals.records)) records, "
            + SummaryNumber.counted(totals.newFindings, "new finding") + ", "
            + SummaryNumber.counted(totals.findings, "row") + " in findings.csv"
        ))
    }
    let width = (rows.map(\.0.count).max() ?? 0) + 2
    return rows.map { $0.padded(to: width) + OneLine.escape($1) + "\n" }.joined()
  }
}

extension StateInfo {
  fileprivate var members: [String: (any Encodable)?] {
    [
      "format": format, "bytes": bytes, "keys": keys, "inputs": inputs,
      "openFindings": openFindings, "closedFindings": closedFindings,
      "rememberedHashes": rememberedHashes, "hashSegments": hashSegments, "keptRows": keptRows,
      "keptSegments": keptSegments, "runs": runs, "generations": generations,
      "latestRuns": latest.map(JSONRun.init),
    ]
  }
}

private struct JSONRun: Encodable {
  let number: Int64
  let id, day, startedAt, finishedAt, mode: String
  let report: String?
  let lines, records, rejects, findings, newFindings: UInt64

  init(_ run: CommittedRun) {
    (number, id, day, mode, report) = (run.number, run.id, run.day, run.mode, run.report)
    startedAt = CivilTime(milliseconds: run.started).text
    finishedAt = CivilTime(milliseconds: run.finished).text
    (lines, records, rejects) = (run.totals.lines, run.totals.records, run.totals.rejects)
    (findings, newFindings) = (run.totals.findings, run.totals.newFindings)
  }
}
