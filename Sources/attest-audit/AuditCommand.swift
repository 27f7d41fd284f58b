import ArgumentParser
import AuditReport
import AuditSettings

struct AuditCommand: StatusCommand {
  static let configuration = CommandConfiguration.named(
    "audit", "Audit logs and write a report.",
    """
    Examples:
      One folder of logs, one report:
        \(Tool.name) audit logs/ --app-id ABCDE12345.com.example.bank --out report
      The command of the nightly timer, for another day:
        \(Tool.name) audit --pipeline nightly.yaml --date 2026-11-20
      A log from standard input, with the settings of a file:
        zcat old.jsonl.gz | \(Tool.name) audit - --pipeline adhoc.yaml

    Exit status: 0 no finding at or above --fail-on, 1 at least one, 2 an input could not be \
    read completely, or too many of its lines could not be read, 64 bad usage, 65 a file of \
    settings is not valid, 73 the report or the state cannot be written, 75 another run has \
    locked the state, 70 any other error.
    """)

  @Argument(help: "Audit these files, folders and globs, or - for standard input.")
  var inputs: [String] = []

  @OptionGroup private var flags: SettingFlags<ReportTopic>

  var typed: TypedFlags { flags.typed(inputs) }

  func status() throws -> ExitStatus {
    try RunControl.carryOut {
      let settings = try typed.settings()
      try SettingsResolver.requireComplete(settings)
      return settings
    } _: { settings, control in
      try ReportedAudit(
        settings: settings, start: RunStart(pipeline: typed.texts["--pipeline"]?.last),
        control: control
      ).execute()
    }
  }
}
