import AuditEngine
import AuditReport
import AuditSettings
import AuditState
import Files
import Logging
import Synchronization

/// One stage of an audit, between standard input and standard output.
struct StagedRun {
  let settings: RunSettings
  /// The pipeline file as given, or nil if there was none.
  let pipeline: String?
  let control: RunControl

  private var configuration: AuditConfiguration { settings.configuration }

  private var digest: [UInt8] {
    SettingsDigest.bytes(
      configuration, recorded: settings.recorded,
      state: settings.state.map { "\($0.window) \($0.pendingFor)" })
  }

  /// Returns the streams of a stage. `memory` opens the state if there is one.
  private func streams(
    memory: (@Sendable (Int64) throws(AuditError) -> RunMemory)?
  ) -> StageStreams {
    StageStreams(
      input: .standardInput, output: .standardOutput, settings: digest,
      memory: settings.state == nil ? nil : memory)
  }

  private func makeAudit(
    _ configuration: AuditConfiguration, _ logger: Logger
  ) throws -> Audit {
    let audit = try Audit(configuration: configuration, progress: AuditProgress()) {
      logger.notice("\($0)")
    }
    control.attach(audit)
    return audit
  }

  /// Writes the sources of the inputs that the settings name, and the decisions about them.
  func plan() throws -> ExitStatus {
    let logger = TerminalLog.logger(settings.report.logLevel)
    for notice in settings.notices { logger.notice("\(notice)") }
    var configuration = configuration
    // The state is made, or brought up to date, here. The other stages only read it.
    let session = try settings.state.map { state throws(StateError) in
      let now = Clock.now
      return try Self.open(state, settings, id: Clock.identifier(now), startedAt: now)
    }
    for notice in session?.directory.notices ?? [] { logger.notice("\(notice)") }
    session?.configure(&configuration)
    let streams = streams { (_) throws(AuditError) in
      throw AuditError(.inconsistent, "a plan asks for what there was before")
    }
    try makeAudit(configuration, logger).plan(streams)
    return .clean
  }

  private static func open(
    _ state: StateSettings, _ settings: RunSettings, id: String, startedAt: Int64
  ) throws(StateError) -> StateSession {
    try StateSession(
      state, id: id, day: settings.configuration.day, now: startedAt,
      report: settings.report.out)
  }

  /// Carries out a stage from rows to rows. `countsHashes` is true if an engine counts the
  /// clientDataHashes.
  func carryOut(_ stage: AuditStage, countsHashes: Bool = false) throws -> ExitStatus {
    let logger = TerminalLog.logger(settings.report.logLevel)
    let shared = Mutex<SharedState?>(nil)
    var streams = streams { [settings] (startedAt) throws(AuditError) in
      guard let state = settings.state else {
        throw AuditError(.inconsistent, "a run without a state asks for it")
      }
      let opened = try SharedState(state, startedAt: startedAt)
      shared.withLock { $0 = opened }
      return opened.history
    }
    streams.countsHashes = countsHashes
    try makeAudit(configuration, logger).run(stage, streams)
    return .clean
  }

  /// Writes the report of the rows that all stages have left, and advances the state.
  func report() throws -> ExitStatus {
    let started = (wall: Clock.now, steady: Clock.steady)
    let id = Clock.identifier(started.wall)
    let logger = TerminalLog.logger(settings.report.logLevel)
    try ReportDirectory.check(
      path: settings.report.out ?? "", overwrite: settings.report.overwrite)
    let opened = Mutex<StateSession?>(nil)
    let streams = streams { [settings] (startedAt) throws(AuditError) in
      guard let state = settings.state else {
        throw AuditError(.inconsistent, "a run without a state asks for it")
      }
      let session = try Self.open(state, settings, id: id, startedAt: startedAt)
      try session.run.announce(report: settings.report.out)
      opened.withLock { $0 = session }
      return session.history
    }
    let staged = try makeAudit(configuration, logger).result(streams)
    let session = opened.withLock { $0 }
    let result = staged.result
    let run = RunReport(
      settings: settings, result: result,
      state: session?.openState(
        result, rejectRate: configuration.limits.rejectRate)
    ) { try staged.end() }
    let facts = {
      RunFacts(
        id: id, pipeline: pipeline, startedAt: started.wall,
        finishedAt: Clock.now, elapsed: Clock.steady - started.steady,
        threads: configuration.limits.jobs, peakMemoryBytes: Machine.peakMemory,
        spilledBytes: result.totals.spilledBytes, verifier: configuration.verification.verifier,
        signatures: result.totals.signatures)
    }
    for notice in try run.write(progress: AuditProgress(), control: control, facts: facts) {
      logger.warning("\(notice)")
    }
    try session?.advance()
    return run.conclude()
  }
}
