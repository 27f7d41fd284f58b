import ArgumentParser
import AuditEngine
import AuditReport
import AuditSettings
import Files

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration.named(
    "report", "Render a report again, without reading logs: page, CSV and other formats.",
    """
    DIR is a report that audit wrote. report checks findings.jsonl, keys.csv and summary.json \
    against the manifest and makes the other files from them again, byte for byte. It replaces \
    the report as a whole. --format adds formats to those that the report has. --out writes the \
    new report to another folder, and DIR stays unchanged.

    Examples:
      Add two formats:
        \(Tool.name) report reports/2026-11-20 --format ocsf,timesketch
      Write findings into a pipe:
        \(Tool.name) report reports/2026-11-20 --out - --format ecs | gzip > ecs.gz
    """)

  @Argument(help: .of("dir", "Render this report folder."))
  var report: String

  @OptionGroup(title: "Report") var flags: ReportFlags

  func run() throws {
    let formats =
      try SettingFormat<[FindingFormat]>.findingFormats.value(flags.format, of: "--format") ?? []
    let stored = try StoredReport(path: report)
    if flags.out == StandardOutput.name {
      try CommandError.require(
        formats.count <= 1,
        "--format names \(formats.count) formats, and standard output takes one",
        hint: "name one, or a folder with --out")
      return try (formats.first ?? .jsonl).write(stored, to: .standardOutput)
    }
    let directory = try ReportDirectory(
      path: flags.out ?? report, overwrite: flags.out == nil || flags.overwrite, mode: stored.mode)
    for notice in try directory.write(stored, formats: formats) {
      Console.note("warning: \(notice)")
    }
  }
}

struct ReportFlags: ParsableArguments {
  @Option(
    help: .of(
      "list",
      "Add formats: ocsf, ecs, timesketch; a list with commas. With --out -: one of them, csv or jsonl."
    ))
  var format: String?

  @Option(
    help: .of(
      "folder",
      "Write the new report to this folder; - writes only the findings, to standard output."),
    completion: .directory)
  var out: String?

  @Flag(help: "Replace an earlier report in the folder of --out.")
  var overwrite = false
}

/// Findings on standard output instead of a report.
enum StandardOutput {
  static let name = "-"

  /// Returns the path of a file to be written, or nil for standard output.
  static func file(_ path: String?) -> String? { path == name ? nil : path }

  static func requireFolder(_ path: String) throws(CommandError) {
    guard path == name else { return }
    throw CommandError(
      .usage, "--out: standard output is not a folder",
      hint: "use --out DIR, or ./- for a folder of that name")
  }
}
