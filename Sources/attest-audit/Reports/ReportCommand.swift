import ArgumentParser
import AuditEngine
import AuditReport
import AuditSettings

/// `attest-audit report`: renders a report again from its own files.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Renders a report again: page, CSV and other formats, without reading logs.",
    discussion: """
      DIR is a report that audit wrote. findings.jsonl, keys.csv and summary.json are checked \
      against its manifest and read; everything else that audit renders from them is made again, byte \
      for byte, and the report is replaced whole. --format adds formats to those that it has. With \
      --out the new report goes elsewhere, and DIR stays as it is.

      Examples:
        A format that nobody asked for at the time:
          \(Tool.name) report reports/2026-11-20 --format ocsf,timesketch
        Findings into a pipe:
          \(Tool.name) report reports/2026-11-20 --out - --format ecs | vector --config ecs.yaml
      """)

  @Argument(help: ArgumentHelp("A report folder.", valueName: "dir"))
  var report: String

  @OptionGroup(title: "Report") var flags: ReportFlags

  func run() throws {
    let formats = try flags.readFormats()
    do {
      let stored = try StoredReport(path: report)
      if flags.out == StandardOutput.name {
        return try StandardOutput.write(stored, try StandardOutput.format(formats, "--format"))
      }
      let directory = try ReportDirectory(
        path: flags.out ?? report, overwrite: flags.out == nil || flags.overwrite,
        mode: stored.mode)
      for notice in try directory.write(ReportRendering(stored, formats: formats)) {
        Console.note("warning: \(notice)")
      }
    } catch let error as ReportError {
      throw CommandError(error)
    }
  }
}

/// The flags of `report`.
struct ReportFlags: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Further formats: ocsf, ecs, timesketch; with commas. With --out -: one, or csv or jsonl.",
      valueName: "list"))
  var format: String?

  @Option(
    help: ArgumentHelp(
      "A folder for the new report, or - for findings alone on standard output.",
      valueName: "folder"), completion: .directory)
  var out: String?

  @Flag(help: "Replaces an earlier report in the folder of --out.")
  var overwrite = false

  /// Returns the formats that were named, or none if the flag is not given.
  func readFormats() throws(CommandError) -> [FindingFormat] {
    guard let format else { return [] }
    switch SettingFormat<[FindingFormat]>.findingFormats.read(format) {
    case .success(let formats): return formats
    case .failure(let complaint): throw CommandError(.usage, "--format: \(complaint.text)")
    }
  }
}
