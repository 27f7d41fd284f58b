import AppAttest
import ArgumentParser
import AuditEngine
import AuditLog
import AuditReport
import AuditSettings
import Basics
import Files
import Foundation
import LogDiscovery
import Logging

struct CheckCommand: StatusCommand {
  static let configuration = CommandConfiguration.named(
    "check", "Check a pipeline or schema file, and print its settings.",
    """
    --run-tests reads the lines under `tests`, also those of the schema file that a pipeline file \
    names. Inputs are not opened. A path that does not exist, or a glob that matches nothing, is \
    an error, and so is a missing folder for the report, the state or the metrics; --no-inputs \
    checks neither. Exit status: 0 valid, 65 not valid, an input or folder does not exist, or a \
    test failed.
    """)

  @Argument(help: "Check this pipeline or schema file.")
  var file: String

  @Option(help: .of("day", "Replace ${date} by this day. (default: yesterday, UTC)"))
  var date: String?

  @Flag(
    help: "Read the test lines of the file, and print those that give another record than expected."
  )
  var runTests = false

  @Flag(help: "Do not check that inputs and folders exist.")
  var noInputs = false

  func status() throws -> ExitStatus {
    let source = try SettingsSource(TypedFlags(texts: date.map { ["--date": [$0]] } ?? [:]))
    let path = NamedPath(path: file, origin: file)
    let root = try YAMLFile.read(path, substitution: source.substitution)
    if root.hasKey(SchemaFileReader.ownKeys) {
      return try check(try SchemaFileReader.read(root, name: SchemaFile.fileName(file)))
    }
    let layer = try PipelineFile.read(root, path)
    let settings: RunSettings
    do throws(CommandError) { settings = try source.resolve(layer) } catch {
      throw error.ofFile(file)
    }
    let logger = TerminalLog.logger(settings.report.logLevel)
    for notice in settings.notices { logger.notice("\(notice)") }
    try CommandError.require(
      !settings.configuration.apps.isEmpty || settings.configuration.inputs.isEmpty,
      "\(file): no app is given", hint: "write yours under apps: [{id: PREFIX.BUNDLE}]",
      status: .invalidFile)
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
    var rows = SettingsDescription.rows(of: schema)
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

  private func requireFolders(_ settings: RunSettings) throws(CommandError) {
    let report = settings.report.isStreamed ? nil : settings.report.out
    var missing: [CommandError] = []
    for (name, path) in [
      ("report", report), ("state", settings.state?.dir), ("metrics", settings.report.metrics),
    ] {
      guard let folder = path.map({ PathText.split($0).folder }),
        FileStatus(path: folder)?.kind != .folder
      else { continue }
      missing.append(
        CommandError(
          .invalidFile, "\(file): the folder \(folder) of the \(name) does not exist",
          hint: ShellText.command("mkdir -p \(ShellText.quoted(folder))")
            + "; --no-inputs leaves folders out"))
    }
    try CommandError.throwAll(missing)
  }

  private func lookForInputs(
    _ configuration: AuditConfiguration, _ logger: Logger
  ) throws(CommandError) -> String {
    guard !configuration.inputs.isEmpty else { return "" }
    let look = InputLook(configuration.inputs, followsLinks: configuration.followsLinks) {
      logger.notice("\($0)")
    }
    var mistakes = look.complaints.map { CommandError(.invalidFile, "\(file): \($0)", hint: $1) }
    if let last = mistakes.popLast() {
      let hint = last.hint.map { $0.hasSuffix("?") ? "\($0) " : "\($0); " } ?? ""
      mistakes.append(
        CommandError(
          .invalidFile, last.message, hint: hint + "use --no-inputs to leave inputs out"))
    }
    try CommandError.throwAll(mistakes)
    return SettingsDescription.text(of: [("inputs now", look.words)])
  }

  /// Runs the tests, if that is asked for. Returns the line with the number of tests that passed.
  private func runTests(
    _ tests: [SchemaTest], _ schema: SchemaFile
  ) throws(CommandError) -> String {
    guard runTests else { return "" }
    try CommandError.require(
      !tests.isEmpty, "\(file): there are no tests to run",
      hint: "write some under 'tests': [{line: '…', expect: {kind: assertion}}]",
      status: .invalidFile)
    for test in tests where test.leavesOutToken {
      Console.note(
        "warning: \(test.origin): '\(test.name)': no record is made of a line with a token")
    }
    let failures = SchemaTestRun(schema: schema.compiled).failures(of: tests)
    try CommandError.throwAll(
      failures,
      hint: "\(failures.count) of \(tests.count) tests fail with the schema "
        + schema.definition.name, status: .invalidFile)
    return SettingsDescription.text(of: [("tests", "\(tests.count) passed")])
  }
}

/// The inputs that exist now, found without opening them.
struct InputLook {
  /// The messages about inputs that do not exist, with a hint if a near name does.
  private(set) var complaints: [(text: String, hint: String?)] = []
  private var files = 0
  private var repeated = 0
  private var bytes: UInt64 = 0

  /// Looks for the inputs. `notice` gets a line for each entry that is skipped.
  init(_ inputs: [String], followsLinks: Bool = false, notice: (String) -> Void = { _ in }) {
    let sources = InputPlan.sources(
      inputs, standardInputName: "-", follows: followsLinks, notice: notice)
    for source in sources {
      switch source.origin {
      case .unreadable(let reason):
        complaints.append(
          ("the input '\(source.name)': \(reason)", NearestName.hint(path: source.name)))
      case .duplicate: repeated += 1
      case .file:
        files += 1
        bytes += source.size
      case .standardInput, .known, .waiting: continue
      }
    }
  }

  /// The result in words, such as `12 files, 3.4 MiB, 2 of them named twice`.
  var words: String {
    "\(files) \(files == 1 ? "file" : "files"), "
      + ProgressText.size(Int(clamping: bytes))
      + (repeated > 0 ? ", \(repeated) named twice" : "")
  }

  /// Returns whether a path leads to something, or a glob matches something. Standard input exists.
  static func exists(_ input: String) -> Bool {
    if input == "-" || FileStatus(path: input, followsLinks: false) != nil { return true }
    guard input.contains(where: { "*?[".contains($0) }) else { return false }
    // What a glob finds might be unreadable, or links that are not followed: the audit says so.
    var hasLinks = false
    let sources = InputPlan.sources([input], standardInputName: "-") { _ in hasLinks = true }
    return hasLinks
      || sources.contains { if case .file = $0.origin { true } else { $0.name != input } }
  }
}

extension SchemaTest {
  /// Whether the test expects that no record is made of a line with a token.
  fileprivate var leavesOutToken: Bool {
    switch expectation {
    case .record, .deviceCheckToken: return false
    case .skipped, .reject: break
    }
    let search = TokenSearch(AppAttestSniffer.tokenFront)
    return unsafe line.withUnsafeBufferPointer { unsafe search.finds($0) }
  }
}

struct SchemaTestRun {
  let schema: CompiledSchema

  /// Returns the fault of each test that fails: `p.yaml:7: 'a test': expected …, found …`.
  func failures(of tests: [SchemaTest]) -> [String] {
    let audit = SampleAudit(schema)
    return tests.compactMap { test in
      complaint(test, audit).map { "\(test.origin): '\(test.name)': \($0)" }
    }
  }

  private func complaint(_ test: SchemaTest, _ audit: SampleAudit) -> String? {
    switch (test.expectation, audit.read(test.line)) {
    case (.skipped, .skipped), (.deviceCheckToken, .deviceCheckToken): nil
    case (.reject(let code), .reject(let reject)) where code == reject.code: nil
    case (.record(let expected), .record): Self.difference(expected, audit)
    case (let expectation, let outcome):
      "expected \(Self.words(expectation)), found \(Self.words(outcome))"
    }
  }

  private static func words(_ expectation: SchemaTest.Expectation) -> String {
    switch expectation {
    case .skipped: "a line that is skipped"
    case .deviceCheckToken: "a DeviceCheck token"
    case .reject(let code): code.name
    case .record(let fields):
      fields.first { $0.field == .kind }.map { "kind \(words($0.value, of: .kind))" } ?? "a record"
    }
  }

  private static func words(_ outcome: RecordOutcome) -> String {
    switch outcome {
    case .skipped: "a line that is skipped"
    case .deviceCheckToken: "a DeviceCheck token"
    case .reject(let reject): "\(reject.code.name): \(reject.reason)"
    case .record(let kind, _): "kind \(kind)"
    }
  }

  private static func difference(_ expected: [SchemaTest.Field], _ audit: SampleAudit) -> String? {
    for wanted in expected {
      let found = value(of: wanted.field, audit)
      guard found != wanted.value else { continue }
      return "expected \(wanted.field.name) \(words(wanted.value, of: wanted.field)), found "
        + (found.map { words($0, of: wanted.field) } ?? "none")
    }
    return nil
  }

  private static func value(of field: LogField, _ audit: SampleAudit) -> [UInt8]? {
    let record = audit.record
    return switch field {
    case .kind: Array("\(record.kind)".utf8)
    case .time: Array(CivilTime(milliseconds: record.time).text.utf8)
    case .decision: Array("\(record.decision)".utf8)
    case .serverCounter: record.serverCounter.map { Array("\($0)".utf8) }
    default: range(of: field, record).map(audit.bytes)
    }
  }

  private static func range(of field: LogField, _ record: Record) -> Range<Int>? {
    switch field {
    case .keyId: record.keyID
    case .token: record.kind == .challenge ? nil : record.token
    case .challenge: record.isChallenge ? record.clientData : nil
    case .payload: record.isChallenge ? nil : record.clientData
    case .clientData: record.clientData
    case .clientDataHash: record.clientDataHash
    case .appId: record.appID
    case .deviceId: record.deviceID
    default: RequestText.allCases.first { $0.field == field }.flatMap { record[$0] }
    }
  }

  /// The largest number of bytes of a value that a message shows.
  private static let shownBytes = 200

  private static func words(_ bytes: [UInt8], of field: LogField) -> String {
    let shown = Array(bytes.prefix(shownBytes))
    let more = bytes.count > shownBytes ? "…" : ""
    switch field {
    case .kind, .time, .decision, .serverCounter: return String(decoding: bytes, as: UTF8.self)
    case .keyId, .token, .clientDataHash: return Hex.text(shown) + more
    default:
      return String(validating: bytes, as: UTF8.self) == nil
        ? Hex.text(shown) + more : "'\(String(decoding: shown, as: UTF8.self))\(more)'"
    }
  }
}
