import ArgumentParser
import AuditEngine
import AuditReport
import AuditSettings
import AuditState
import Files
import Foundation

struct StageCommand: StatusCommand {
  static let configuration = CommandConfiguration(
    commandName: "stage", _superCommandName: CommandName.program,
    abstract: "Run one stage of an audit, for an engine that shuffles rows.",
    discussion: """
      This command is for programs such as pipelines/spark/attest_audit.py. The documentation \
      describes the streams under "Beyond one machine". All stages take the same settings.
        plan     lists the inputs: reads nothing, writes sources
        map      reads inputs: reads sources, writes rows
        recall   reads kept events of the --state: reads sources, writes rows
        devices  finds the keys of devices: reads sources and rows by device
        keys     judges keys: reads sources and rows by key identifier
        hashes   judges clientDataHashes: reads sources and rows by clientDataHash
        report   writes the report to --out and advances the --state: reads sources and all other rows

      All stages of a run need the same --state. Only report changes it, and plan makes it if it \
      does not exist. A stage reads rows in the order of their bytes from standard input and writes \
      rows to standard output. Exit status: as for audit; 70 if the stream ends early or contains \
      rows that no stage writes, 65 if it was made with other settings.
      """,
    shouldDisplay: false)

  @Argument(help: "Run this stage: plan, map, recall, devices, keys, hashes, or report.")
  var stage: StageName

  @Argument(help: "Read these files, folders and globs; only for plan.")
  var inputs: [String] = []

  @Flag(help: "Also write all clientDataHashes, for an engine that counts them; only for map.")
  var countHashes = false

  @OptionGroup(title: InputTopic.topic.title) private var input: TopicFlags<InputTopic>
  @OptionGroup(title: TrustTopic.topic.title) private var trust: TopicFlags<TrustTopic>
  @OptionGroup(title: DetectionTopic.topic.title) private var detection: TopicFlags<DetectionTopic>
  @OptionGroup(title: ReportTopic.topic.title) private var report: TopicFlags<ReportTopic>
  @OptionGroup(title: StateTopic.topic.title) private var state: TopicFlags<StateTopic>
  @OptionGroup(title: LimitsTopic.topic.title) private var limits: TopicFlags<LimitsTopic>

  func status() throws -> ExitStatus {
    let typed = TypedFlags(
      inputs: inputs,
      topics: [
        input.texts, trust.texts, detection.texts, report.texts, state.texts, limits.texts,
      ])
    return try RunControl.carryOut {
      let settings = try typed.settings()
      try requireFitting(settings)
      return settings
    } _: { settings, control in
      let run = StagedRun(
        settings: settings, pipeline: typed.texts["--pipeline"]?.last, control: control)
      switch stage {
      case .plan: return try run.plan()
      case .map: return try run.carryOut(.map, countsHashes: countHashes)
      case .recall: return try run.carryOut(.recall)
      case .devices: return try run.carryOut(.devices)
      case .keys: return try run.carryOut(.keys)
      case .hashes: return try run.carryOut(.hashes)
      case .report: return try run.report()
      }
    }
  }

  /// Throws if the settings ask for functions that stages do not have.
  private func requireFitting(_ settings: RunSettings) throws(CommandError) {
    try CommandError.require(
      stage == .plan || inputs.isEmpty, "stage \(stage) takes its inputs from a stream",
      hint: "name inputs to stage plan, whose rows map takes")
    try CommandError.require(
      !countHashes || (stage == .map && settings.state == nil),
      "only stage map without a state counts clientDataHashes",
      hint: "leave out --count-hashes to shuffle all rows by clientDataHash")
    try SettingsResolver.requireApp(settings)
    try CommandError.require(
      settings.configuration.inputs.allSatisfy({ $0 != "-" }), "stages cannot read standard input",
      hint: "name files, folders or globs")
    try CommandError.require(
      settings.state?.mode != .reference, "stages advance a state",
      hint: "leave state.mode out of the pipeline file")
    try CommandError.require(
      stage != .recall || settings.state != nil, "stage recall needs a state",
      hint: "name one with --state")
    try CommandError.require(
      !settings.report.contents.index, "stages write no index",
      hint: "leave report.index out of the pipeline file")
    try CommandError.require(
      stage != .report || (settings.report.out != nil && !settings.report.isStreamed),
      "stage report needs a report folder", hint: "name one with --out")
  }
}

/// The typed names of the stages of an audit whose shuffles another engine carries out.
enum StageName: String, CaseIterable, ExpressibleByArgument {
  case plan, map, recall, devices, keys, hashes, report
}
