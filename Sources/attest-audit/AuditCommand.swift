import ArgumentParser
import AuditEngine
import AuditReport
import Foundation

/// `attest-audit audit`: reads logs, judges them, writes the report.
struct AuditCommand: ParsableCommand, StatusCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "Audits logs and writes a report.",
    discussion: """
      Exit status: 0 nothing at or above --fail-on, 1 something, 2 an input could not be read \
      whole, or is another log than the schema says, 64 bad usage, 65 a file of settings is not valid, 73 the report or the state \
      cannot be written, 75 another run holds the state, 70 anything else.
      """)

  @OptionGroup var flags: AuditFlags

  func run() throws {
    throw ExitCode(try status().rawValue)
  }

  func status() throws -> ExitStatus {
    let settings = try settings(now: Clock.now, environment: ProcessInfo.processInfo.environment)
    try SettingsResolver.requireComplete(settings)
    return try ReportedAudit(settings: settings, pipeline: flags.pipeline).execute()
  }

  /// Everything that flags and pipeline file say, resolved; `now` is milliseconds since 1970.
  func settings(now: Int64, environment: [String: String]) throws(CommandError) -> AuditSettings {
    let reader = FlagReader(flags: flags)
    let day = try reader.date(now: now)
    let substitution = Substitution(date: day, environment: environment)
    var layer = try reader.layer(substitution)
    if let path = flags.pipeline {
      let file = try PipelineFile.read(
        NamedPath(path: path, origin: "--pipeline"), substitution: substitution)
      layer = layer.over(file)
    }
    try reader.check(mode: layer.stateDir == nil ? nil : layer.stateMode)
    return try SettingsResolver(layer: layer, environment: environment, day: day).resolve()
  }
}
