import AuditEngine
import AuditReport
import Dispatch
import Logging
import Synchronization

/// One run of the command: audit, report, summary, status.
struct ReportedAudit {
  let settings: AuditSettings
  /// The pipeline file as given; nil where there was none.
  let pipeline: String?

  private var report: ReportSettings { settings.report }

  func execute() throws -> ExitStatus {
    let started = (wall: Clock.now, steady: Clock.steady)
    let logger = TerminalLog.logger(report.logLevel)
    for notice in settings.notices { logger.notice("\(notice)") }
    let control = RunControl()
    let signals = control.watch()
    defer { for signal in signals { signal.cancel() } }
    do {
      if let out = report.out {
        try ReportDirectory.check(path: out, overwrite: report.overwrite)
      }
      let progress = AuditProgress()
      let line = Console.errorIsTerminal && !report.quiet ? ProgressLine(progress) : nil
      line?.start()
      defer { line?.stop() }
      let audit = try Audit(configuration: settings.configuration, progress: progress) {
        logger.notice("\($0)")
      }
      control.attach(audit)
      let result = try audit.run()
      prepare(progress, for: result.totals)
      try write(result, progress: progress, control: control, logger: logger) {
        RunFacts(
          id: Self.identifier(started.wall), pipeline: pipeline, startedAt: started.wall,
          finishedAt: Clock.now, elapsed: Clock.steady - started.steady,
          threads: settings.configuration.limits.jobs, peakMemoryBytes: Machine.peakMemory,
          spilledBytes: result.totals.spilledBytes,
          verifier: settings.configuration.verification.verifier,
          signatures: result.totals.signatures)
      }
      line?.stop()
      // A report that is in its place stays, whatever signal came meanwhile.
      if report.out == nil, let status = control.interruption { return status }
      return conclude(result)
    } catch {
      Console.clearProgress()
      if let status = control.interruption { return status }
      throw Self.describe(error)
    }
  }

  /// Writes the report, where a folder is named.
  private func write(
    _ result: any AuditResult, progress: AuditProgress, control: RunControl, logger: Logger,
    facts: () -> RunFacts
  ) throws {
    guard let out = report.out else { return }
    let directory = try ReportDirectory(path: out, overwrite: report.overwrite)
    control.attach(directory)
    let notices = try directory.write(
      result, verdicts: report.verdicts, progress: progress, run: facts)
    for notice in notices { logger.warning("\(notice)") }
  }

  /// Lets the progress line count the rows of the report.
  private func prepare(_ progress: AuditProgress, for totals: AuditTotals) {
    var rows = totals.findings + totals.keys.reduce(0, +) + totals.unreadable
    if report.verdicts { rows += totals.attestations + totals.assertions + totals.skipped }
    progress.rowsDone.store(0, ordering: .relaxed)
    progress.rowsTotal.store(Int(clamping: rows), ordering: .relaxed)
    progress.phase = .reporting
  }

  /// Prints the summary where it is wanted, and finds the status.
  private func conclude(_ result: any AuditResult) -> ExitStatus {
    let isReached = report.failOn.isReached(by: result.totals)
    if !report.quiet, isReached || Console.outputIsTerminal {
      let block = SummaryBlock(
        inputs: result.inputs, totals: result.totals, report: report.out,
        coloured: Console.outputIsTerminal && Console.coloursAllowed)
      Console.print(block.text)
    }
    let rate = settings.configuration.limits.rejectRate
    let isPartial = result.inputs.contains { input in
      switch input.status {
      case .truncated, .corrupt, .unreadable: true
      case .ok, .duplicate: input.isMisread(above: rate)
      }
    }
    if isPartial { return .partial }
    return isReached ? .findings : .clean
  }

  /// `20260301T120000Z-1f2e3d4c`: when the run began, and what tells it from others of that second.
  private static func identifier(_ started: Int64) -> String {
    let time = CivilTime(milliseconds: started).text.prefix(19).filter { $0 != "-" && $0 != ":" }
    let random = String(UInt32.random(in: 0...UInt32.max), radix: 16)
    return "\(time)Z-\(String(repeating: "0", count: 8 - random.count))\(random)"
  }

  /// The end of a run that failed, for people.
  private static func describe(_ error: any Error) -> any Error {
    switch error {
    case let error as ReportError:
      switch error.code {
      case .exists:
        CommandError(.cannotWrite, error.context, hint: "--overwrite replaces an earlier report")
      case .notAReport:
        CommandError(.cannotWrite, error.context, hint: "name a folder that does not exist")
      case .cannotWrite, .abandoned: CommandError(.cannotWrite, error.context)
      }
    case let error as AuditError:
      switch error.code {
      case .temporaryStorage:
        CommandError(
          .cannotWrite, error.context, hint: "--temp-dir names a folder with more room")
      case .damagedState:
        CommandError(
          .failure, error.context, hint: "attest-audit state verify says what is damaged")
      case .stateStorage: CommandError(.cannotWrite, error.context)
      case .trustAnchor: CommandError(.invalidFile, error.context)
      case .cancelled, .inconsistent: CommandError(.failure, error.context)
      }
    default: error
    }
  }
}
