import AuditEngine
import AuditReport
import AuditSettings
import Files
import Logging

/// One stage of an audit, between standard input and standard output.
struct StagedRun {
  let settings: RunSettings
  /// The pipeline file as given, or nil if there was none.
  let pipeline: String?
  let control: RunControl

  private var configuration: AuditConfiguration { settings.configuration }

  private var streams: StageStreams {
    StageStreams(
      input: .standardInput, output: .standardOutput,
      settings: SettingsDigest.bytes(configuration, schemaText: settings.schemaText))
  }

  private func makeAudit(_ logger: Logger) throws -> Audit {
    let audit = try Audit(configuration: configuration, progress: AuditProgress()) {
      logger.notice("\($0)")
    }
    control.attach(audit)
    return audit
  }

  /// Writes the sources of the inputs that the settings name.
  func plan() throws -> ExitStatus {
    let logger = TerminalLog.logger(settings.report.logLevel)
    for notice in settings.notices { logger.notice("\(notice)") }
    try makeAudit(logger).plan(streams)
    return .clean
  }

  /// Carries out a stage from rows to rows.
  func carryOut(_ stage: AuditStage) throws -> ExitStatus {
    let logger = TerminalLog.logger(settings.report.logLevel)
    try makeAudit(logger).run(stage, streams)
    return .clean
  }

  /// Writes the report of the rows that all stages have left.
  func report() throws -> ExitStatus {
    let started = (wall: Clock.now, steady: Clock.steady)
    let logger = TerminalLog.logger(settings.report.logLevel)
    try ReportDirectory.check(
      path: settings.report.out ?? "", overwrite: settings.report.overwrite)
    let staged = try makeAudit(logger).result(streams)
    let result = staged.result
    let run = RunReport(settings: settings, result: result, state: nil) { try staged.end() }
    let facts = {
      RunFacts(
        id: Clock.identifier(started.wall), pipeline: pipeline, startedAt: started.wall,
        finishedAt: Clock.now, elapsed: Clock.steady - started.steady,
        threads: configuration.limits.jobs, peakMemoryBytes: Machine.peakMemory,
        spilledBytes: result.totals.spilledBytes, verifier: configuration.verification.verifier,
        signatures: result.totals.signatures)
    }
    for notice in try run.write(progress: AuditProgress(), control: control, facts: facts) {
      logger.warning("\(notice)")
    }
    return run.conclude()
  }
}
