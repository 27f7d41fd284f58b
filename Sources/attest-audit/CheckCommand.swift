import AppAttest
import ArgumentParser
import AuditEngine
import AuditLog
import AuditSettings
import Files
import Foundation
import Logging

/// `attest-audit check`: validates a pipeline or schema file, and checks that its inputs exist.
struct CheckCommand: ParsableCommand, StatusCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Check a pipeline or schema file, and print its settings.",
    discussion: """
      --run-tests reads the lines under `tests`, also those of the schema file that a pipeline file \
      names. Inputs are not opened. A path that does not exist, or a glob that matches nothing, is \
      an error, and so is a missing folder for the report, the state or the metrics; --no-inputs \
      checks neither. Exit status: 0 valid, 65 not valid, an input or folder does not exist, or a \
      test failed.
      """)

  @Argument(help: "Check this pipeline or schema file.")
  var file: String

  @Option(
    help: ArgumentHelp(
      "Replace ${date} by this day. (default: yesterday, UTC)", valueName: "day"))
  var date: String?

  @Flag(
    help: "Read the test lines of the file, and print those that give another record than expected."
  )
  var runTests = false

  @Flag(help: "Do not check that inputs and folders exist.")
  var noInputs = false

  func run() throws {
    throw ExitCode(try status().rawValue)
  }

  func status() throws -> ExitStatus {
    let environment = ProcessInfo.processInfo.environment
    let typed = TypedFlags(texts: date.map { ["--date": [$0]] } ?? [:])
    let day = try FlagReader.day(typed) ?? AuditDay.yesterday(of: Clock.now)
    let substitution = Substitution(date: day, environment: environment)
    let path = NamedPath(path: file, origin: file)
    let root = try YAMLFile.read(path, substitution: substitution)
    if let root, root.hasKey(SchemaFileReader.ownKeys) {
      return try check(
        try SchemaFileReader.read(root, name: SchemaFile.fileName(file)))
    }
    let layer = try PipelineFile.read(root, path)
    let settings: RunSettings
    do throws(CommandError) {
      settings = try SettingsResolver(layer: layer, environment: environment, day: day)
        .resolve()
    } catch {
      throw error.ofFile(file)
    }
    let logger = TerminalLog.logger(settings.report.logLevel)
    for notice in settings.notices { logger.notice("\(notice)") }
    for app in settings.configuration.apps {
      if let warning = app.versionWarning { logger.warning("\(warning)") }
    }
    let schema = layer.schema ?? .standard
    let own = schema.isShipped ? [] : schema.tests
    let tests = try runTests(own + (layer.schemaTests ?? []), schema)
    if !noInputs { try requireFolders(settings) }
    let inputs = noInputs ? "" : try lookForInputs(settings.configuration, logger)
    let blind = Self.blindSpots(schema, BlindSpot.Policy(settings.configuration))
    Console.print(
      SettingsDescription(settings: settings, layer: layer).text + blind + inputs + tests)
    return .clean
  }

  private func check(_ schema: SchemaFile) throws(CommandError) -> ExitStatus {
    let tests = try runTests(schema.tests, schema)
    var rows = SchemaDescription(file: schema).rows
    if let scope = schema.replayScope { rows.append(("replayScope", scope.rawValue)) }
    let blind = Self.blindSpots(schema, BlindSpot.Policy(apps: 0))
    Console.print(SettingsDescription.text(of: rows) + blind + tests)
    return .clean
  }

  /// Returns a line for each thing that no log of the schema can show (`reports.R77`).
  private static func blindSpots(_ schema: SchemaFile, _ policy: BlindSpot.Policy) -> String {
    SettingsDescription.text(
      of: BlindSpot.all(schema.definition, policy).map {
        ("blind", "\($0.spot.rawValue): \($0.evidence)")
      })
  }

  /// Throws if a folder in which the run would write does not exist.
  private func requireFolders(_ settings: RunSettings) throws(CommandError) {
    let report = settings.report.isStreamed ? nil : settings.report.out
    var missing: [CommandError] = []
    for (name, path) in [
      ("report", report), ("state", settings.state?.dir), ("metrics", settings.report.metrics),
    ] {
      guard let path, case let folder = PathText.split(path).folder,
        FileStatus(path: folder)?.kind != .folder
      else { continue }
      missing.append(
        CommandError(
          .invalidFile, "\(file): the folder \(folder) of the \(name) does not exist",
          hint: ShellText.command("mkdir -p \(ShellText.quoted(folder))")
            + "; --no-inputs leaves folders out"))
    }
    guard var last = missing.popLast() else { return }
    last.earlier = missing
    throw last
  }

  /// Looks for the inputs. Returns the line about those that exist.
  private func lookForInputs(
    _ configuration: AuditConfiguration, _ logger: Logger
  ) throws(CommandError) -> String {
    guard !configuration.inputs.isEmpty else { return "" }
    let look = InputLook(configuration.inputs, followsLinks: configuration.followsLinks) {
      logger.notice("\($0)")
    }
    for complaint in look.complaints.dropLast() {
      Console.report(CommandError(.invalidFile, "\(file): \(complaint.text)", hint: complaint.hint))
    }
    if let last = look.complaints.last {
      throw CommandError(
        .invalidFile, "\(file): \(last.text)",
        hint: (last.hint.map { $0 + " " } ?? "") + "use --no-inputs to leave inputs out")
    }
    return SettingsDescription.text(of: [("inputs now", look.words)])
  }

  /// Runs the tests, if that is asked for. Returns the line with the number of tests that passed.
  private func runTests(
    _ tests: [SchemaTest], _ schema: SchemaFile
  ) throws(CommandError) -> String {
    guard runTests else { return "" }
    guard !tests.isEmpty else {
      throw CommandError(
        .invalidFile, "\(file): there are no tests to run",
        hint: "write some under 'tests': [{line: '…', expect: {kind: assertion}}]")
    }
    let failures = SchemaTestRun(schema: schema.compiled).failures(of: tests)
    for failure in failures.dropLast() {
      Console.report(CommandError(.invalidFile, failure))
    }
    if let last = failures.last {
      throw CommandError(
        .invalidFile, last,
        hint: "\(failures.count) of \(tests.count) tests fail with the schema "
          + schema.definition.name)
    }
    return SettingsDescription.text(of: [("tests", "\(tests.count) passed")])
  }
}
