import ArgumentParser
import AuditEngine
import AuditReport
import AuditSettings
import AuditState
import Files
import Foundation

/// `attest-audit stage`: one part of an audit, as a filter of rows, for an engine that sorts them.
struct StageCommand: ParsableCommand, StatusCommand {
  static let configuration = CommandConfiguration(
    commandName: "stage",
    abstract: "Carries out one part of an audit, for an engine that shuffles rows.",
    discussion: """
      For programs, as pipelines/spark/attest_audit.py is one; the streams are described in the \
      documentation, under "Beyond one machine". All stages take the same settings.
        plan     lists the inputs: nothing in, sources out
        map      reads inputs: sources in, rows out
        recall   reads what a state kept: sources in, rows out, where there is a --state
        devices  finds the keys of devices: rows by device in, where the schema names devices
        keys     judges keys: sources, and rows by key identifier in
        hashes   judges clientDataHashes: sources, and rows by clientDataHash in
        report   writes the report to --out, and advances the --state: sources, and all other rows in

      All stages but report read the --state and leave it as it is; each of a run needs the same. plan \
      makes one where nothing is. Rows come in the order of their bytes, on standard input, and leave on standard output. Exit \
      status: that of audit; 70 where the stream breaks off or holds what no stage writes, 65 where it \
      was made with other settings.
      """,
    shouldDisplay: false)

  @Argument(help: "plan, map, recall, devices, keys, hashes, or report.")
  var stage: StageName

  @Argument(help: "Files, folders and globs, of plan alone.")
  var inputs: [String] = []

  @Flag(help: "Of map: also say which clientDataHashes there are, for an engine that counts them.")
  var countHashes = false

  @OptionGroup(title: InputTopic.topic.title) private var input: TopicFlags<InputTopic>
  @OptionGroup(title: TrustTopic.topic.title) private var trust: TopicFlags<TrustTopic>
  @OptionGroup(title: DetectionTopic.topic.title) private var detection: TopicFlags<DetectionTopic>
  @OptionGroup(title: ReportTopic.topic.title) private var report: TopicFlags<ReportTopic>
  @OptionGroup(title: StateTopic.topic.title) private var state: TopicFlags<StateTopic>
  @OptionGroup(title: LimitsTopic.topic.title) private var limits: TopicFlags<LimitsTopic>

  func run() throws {
    throw ExitCode(try status().rawValue)
  }

  func status() throws -> ExitStatus {
    let control = RunControl()
    control.watch()
    defer { control.end() }
    try Descriptors.requireEnough()
    let typed = TypedFlags(
      inputs: inputs,
      topics: [
        input.texts, trust.texts, detection.texts, report.texts, state.texts, limits.texts,
      ])
    let settings = try typed.settings(
      now: Clock.now, environment: ProcessInfo.processInfo.environment)
    try requireFitting(settings)
    let run = StagedRun(
      settings: settings, pipeline: typed.texts["--pipeline"]?.last, control: control)
    do {
      switch stage {
      case .plan: return try run.plan()
      case .map: return try run.carryOut(.map, countsHashes: countHashes)
      case .recall: return try run.carryOut(.recall)
      case .devices: return try run.carryOut(.devices)
      case .keys: return try run.carryOut(.keys)
      case .hashes: return try run.carryOut(.hashes)
      case .report: return try run.report()
      }
    } catch {
      if let status = control.interruption {
        control.tell(status)
        return status
      }
      switch error {
      case let error as AuditError: throw CommandError(error)
      case let error as ReportError: throw CommandError(error)
      case let error as StateError: throw CommandError(error, path: settings.state?.dir ?? "")
      default: throw error
      }
    }
  }

  /// Throws if the settings ask for functions that stages do not have.
  private func requireFitting(_ settings: RunSettings) throws(CommandError) {
    guard stage == .plan || inputs.isEmpty else {
      throw CommandError(
        .usage, "stage \(stage) takes its inputs from a stream",
        hint: "name inputs to stage plan, whose rows map takes")
    }
    guard !countHashes || (stage == .map && settings.state == nil) else {
      throw CommandError(
        .usage, "clientDataHashes are counted by stage map alone, and without a state",
        hint: "leave --count-hashes out: then all rows by clientDataHash are shuffled")
    }
    guard !settings.configuration.apps.isEmpty else {
      throw CommandError(
        .usage, "no app is given", hint: "--app-id PREFIX.BUNDLE, or a --pipeline with apps")
    }
    guard settings.configuration.inputs.allSatisfy({ $0 != "-" }) else {
      throw CommandError(
        .usage, "stages cannot read standard input", hint: "name files, folders or globs")
    }
    guard settings.state?.mode != .reference else {
      throw CommandError(
        .usage, "stages advance a state", hint: "leave state.mode out of the pipeline file")
    }
    guard stage != .recall || settings.state != nil else {
      throw CommandError(
        .usage, "stage recall needs a state", hint: "name one with --state")
    }
    guard !settings.report.index else {
      throw CommandError(
        .usage, "stages write no index", hint: "leave report.index out of the pipeline file")
    }
    guard stage != .report || (settings.report.out != nil && !settings.report.isStreamed) else {
      throw CommandError(
        .usage, "stage report needs a report folder", hint: "name one with --out")
    }
  }
}
