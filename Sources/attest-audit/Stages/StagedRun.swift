import AuditEngine
import AuditReport
import AuditSettings
import AuditState
import Files
import Logging
import Synchronization

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
  func carryOut(_ stage: AuditStage, countsHashes: Bool = false) throws -> ExitStatus {
    var streams = streams { (state, startedAt) throws(AuditError) in
      try StateSession.reading(state, now: startedAt)
    }
    streams.countsHashes = countsHashes
    try makeAudit(settings.configuration).run(stage, streams)
    return .clean
  }

  /// Writes the report of the rows that all stages have left, and advances the state.
  func report() throws -> ExitStatus {
    try ReportDirectory.check(
      path: settings.report.out ?? "", overwrite: settings.report.overwrite)
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
