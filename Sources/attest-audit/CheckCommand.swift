import ArgumentParser
import Foundation
import Logging

/// `attest-audit check`: validates a pipeline file without touching its inputs.
struct CheckCommand: ParsableCommand, StatusCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Validates a pipeline file completely, and says what it would do.",
    discussion: "Exit status: 0 valid, 65 not valid. Inputs are neither opened nor looked for.")

  @Argument(help: "The pipeline file.")
  var file: String

  @Option(
    help: ArgumentHelp(
      "The day that ${date} stands for. (default: yesterday, UTC)", valueName: "day"))
  var date: String?

  func run() throws {
    throw ExitCode(try status().rawValue)
  }

  func status() throws -> ExitStatus {
    var flags = AuditFlags()
    flags.date = date
    let environment = ProcessInfo.processInfo.environment
    let day = try FlagReader(flags: flags).date(now: Clock.now)
    let layer = try PipelineFile.read(
      NamedPath(path: file, origin: file),
      substitution: Substitution(date: day, environment: environment))
    var settings: AuditSettings
    do throws(CommandError) {
      settings = try SettingsResolver(layer: layer, environment: environment).resolve()
    } catch {
      // Whatever does not fit together stands in the file: its fault, not the command line's.
      throw CommandError(
        .invalidFile, error.status == .usage ? "\(file): \(error.message)" : error.message,
        hint: error.hint)
    }
    let logger = TerminalLog.logger(settings.report.logLevel)
    for notice in settings.notices { logger.notice("\(notice)") }
    Console.print(SettingsDescription(settings: settings, layer: layer).text)
    return .clean
  }
}
