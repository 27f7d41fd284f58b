import ArgumentParser
import AuditEngine
import AuditReport
import AuditSettings
import AuditState
import Files
import Foundation
import Logging
import Synchronization

struct StageCommand: StatusCommand {
  static let configuration = CommandConfiguration.named(
    "stage", "Run one stage of an audit, for an engine that shuffles rows.",
    """
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

  @OptionGroup private var flags: SettingFlags<ReportTopic>

  func status() throws -> ExitStatus {
    let typed = flags.typed(inputs)
    return try RunControl.carryOut {
      let settings = try typed.settings()
      try requireFitting(settings)
      return settings
    } _: { settings, control in
      let run = StagedRun(
        settings: settings, pipeline: typed.texts["--pipeline"]?.last, control: control)
      if stage == .plan { return try run.plan() }
      guard let stage = AuditStage(rawValue: stage.rawValue) else { return try run.report() }
      return try run.carryOut(stage, countsHashes: countHashes)
    }
  }

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

/// One stage of an audit, between standard input and standard output.
final class StagedRun: Sendable {
  private let settings: RunSettings
  private let start: RunStart
  private let control: RunControl
  /// The state, once the stage has asked for it.
  private let session = Mutex<StateSession?>(nil)

  init(settings: RunSettings, pipeline: String?, control: RunControl) {
    self.settings = settings
    start = RunStart(pipeline: pipeline)
    self.control = control
  }

  private var logger: Logger { TerminalLog.logger(settings.report.logLevel) }

  /// Returns the streams of a stage. If there is a state, `open` opens it for a run that began at a time.
  private func streams(
    _ open: @escaping @Sendable (StateSettings, Int64) throws(AuditError) -> StateSession
  ) -> StageStreams {
    var memory: (@Sendable (Int64) throws(AuditError) -> RunMemory)?
    if let state = settings.state {
      memory = { [self] (startedAt) throws(AuditError) in
        let opened = try open(state, startedAt)
        session.withLock { $0 = opened }
        return opened.history
      }
    }
    return StageStreams(
      input: .standardInput, output: .standardOutput,
      settings: SettingsDigest.bytes(
        settings.configuration, recorded: settings.recorded,
        state: settings.state.map { "\($0.window) \($0.pendingFor)" }),
      memory: memory)
  }

  private func makeAudit(_ configuration: AuditConfiguration) throws -> Audit {
    let audit = try Audit(configuration: configuration, progress: AuditProgress()) {
      [logger = self.logger] in
      logger.notice("\($0)")
    }
    control.attach(audit)
    return audit
  }

  private func advancing(
    _ state: StateSettings, startedAt: Int64
  ) throws(StateError) -> StateSession {
    try StateSession(
      state, id: start.id, day: settings.configuration.day, now: startedAt,
      report: settings.report.out)
  }

  /// Writes the sources of the inputs that the settings name, and the decisions about them.
  func plan() throws -> ExitStatus {
    for notice in settings.notices { logger.notice("\(notice)") }
    var configuration = settings.configuration
    // The state is made, or brought up to date, here. The other stages only read it.
    let session = try settings.state.map { state throws(StateError) in
      try advancing(state, startedAt: start.wall)
    }
    for notice in session?.directory.notices ?? [] { logger.notice("\(notice)") }
    session?.configure(&configuration)
    try makeAudit(configuration).plan(
      streams { (_, _) throws(AuditError) in
        throw AuditError(.inconsistent, "a plan asks for what there was before")
      })
    return .clean
  }

  /// Carries out a stage from rows to rows. `countsHashes` is for an engine that counts them.
  func carryOut(_ stage: AuditStage, countsHashes: Bool) throws -> ExitStatus {
    var streams = streams { (state, startedAt) throws(AuditError) in
      try StateSession.reading(state, now: startedAt)
    }
    streams.countsHashes = countsHashes
    try makeAudit(settings.configuration).run(stage, streams)
    return .clean
  }

  /// Writes the report of the rows that all stages have left, and advances the state.
  func report() throws -> ExitStatus {
    try ReportDirectory.check(path: settings.report.out ?? "", overwrite: settings.report.overwrite)
    let streams = streams { [self] (state, startedAt) throws(AuditError) in
      let session = try advancing(state, startedAt: startedAt)
      try session.run.announce(report: settings.report.out)
      return session
    }
    let staged = try makeAudit(settings.configuration).result(streams)
    let session = self.session.withLock { $0 }
    let run = RunReport(start, settings: settings, result: staged.result, session: session) {
      try staged.end()
    }
    for notice in try run.write(progress: AuditProgress(), control: control) {
      logger.warning("\(notice)")
    }
    try session?.advance()
    return run.conclude()
  }
}
