import AuditEngine
import AuditLog
import AuditReport
import AuditSettings
import AuditState
import Logging

/// One run of the command: audit, report, summary, status.
struct ReportedAudit {
  let settings: RunSettings
  let start: RunStart
  let control: RunControl
  private var report: ReportSettings { settings.report }
  /// How often a run begins again because an input was changed.
  private static let mostBeginnings = 3

  func execute() throws -> ExitStatus {
    let logger = TerminalLog.logger(report.logLevel)
    for notice in settings.notices { logger.notice("\(notice)") }
    let metrics = try openMetrics(logger)
    do {
      try requireInput()
      for _ in 1..<Self.mostBeginnings {
        do {
          return try run(logger, metrics)
        } catch let error as AuditError where error.code == .inputChanged {
          // It has the lock of the state.
          control.attach(nil)
          Console.clearProgress()
          logger.notice("\(error.context): the audit begins again")
        }
      }
      return try run(logger, metrics)
    } catch {
      Console.clearProgress()
      let described = CommandError.described(error, state: settings.state?.dir) as? CommandError
      metrics?.write(nil, status: control.interruption ?? described?.status ?? .failure)
      throw error
    }
  }

  private func run(_ logger: Logger, _ metrics: MetricsReport?) throws -> ExitStatus {
    let out = report.isStreamed ? nil : report.out
    if let out { try ReportDirectory.checkFolder(of: out) }
    // Before the rest is checked, since opening the state removes the remains of a killed run, including its report.
    let session = try settings.state.map { state throws(StateError) in
      try StateSession(
        state, id: start.id, day: settings.configuration.day, now: start.wall,
        report: out)
    }
    for notice in session?.directory.notices ?? [] { logger.notice("\(notice)") }
    let placed = try self.placed(logger)
    try session?.run.announce(report: placed.report.isStreamed ? nil : placed.report.out)
    let progress = AuditProgress()
    let line = report.quiet ? nil : ProgressLine.start(progress)
    defer { line?.stop() }
    var configuration = settings.configuration
    session?.configure(&configuration)
    let audit = try Audit(configuration: configuration, progress: progress) {
      logger.notice("\($0)")
    }
    control.attach(audit)
    let result = try audit.run()
    let run = RunReport(start, settings: placed, result: result, session: session)
    for notice in try run.write(progress: progress, control: control) {
      logger.warning("\(notice)")
    }
    for notice in try emptyEntries(result, session) { logger.notice("\(notice)") }
    if settings.state?.mode == .advance, result.totals.lines == 0 {
      let hint =
        configuration.expected.isEmpty
        ? "; list the logs under 'expect:' to get a finding when nothing arrives" : ""
      logger.warning("no line was read: each input was read before, or is empty\(hint)")
    } else if result.totals.lines == 0, result.totals.findings == 0 {
      logger.warning("no line was read: each input is empty")
    }
    // A report that is in its place stays, even if a signal came meanwhile.
    if report.out == nil || report.isStreamed, !control.close() {
      throw AuditError(.cancelled, "interrupted")
    }
    try session?.advance()
    line?.stop()
    let status = run.conclude()
    metrics?.write(run, status: status)
    return status
  }

  /// Throws if none of the named inputs exists. With `expect:` that is a finding.
  private func requireInput() throws(CommandError) {
    let configuration = settings.configuration
    guard configuration.expected.isEmpty else { return }
    let missing = configuration.inputs.filter { !InputLook.exists($0) }
    guard let first = missing.first, missing.count == configuration.inputs.count else { return }
    throw CommandError(
      .invalidFile,
      missing.count == 1
        ? "the input '\(first)' does not exist"
        : "none of the inputs exists: "
          + missing.map { "'\($0)'" }.joined(separator: ", "),
      hint: NearestName.hint(path: first))
  }

  /// Determines the place of the report, which never replaces that of a run that advanced a state.
  private func placed(_ logger: Logger) throws(AuditError) -> RunSettings {
    guard let out = report.out, !report.isStreamed else { return settings }
    var placed = settings
    if settings.state?.mode == .advance {
      let free = try ReportPlace.firstFree(out)
      if free != out { logger.notice("\(out) exists already: the report goes to \(free)") }
      placed.report.out = free
      placed.report.overwrite = false
    }
    try ReportDirectory.check(path: placed.report.out ?? out, overwrite: placed.report.overwrite)
    return placed
  }

  /// Returns the lines about accepted findings that no run ever had.
  private func emptyEntries(
    _ result: any AuditResult, _ session: StateSession?
  ) throws(StateError) -> [String] {
    var lines: [String] = []
    for entry in result.totals.accepted where entry.count == 0 && entry.moreSevere == 0 {
      if try session?.directory.hasFinding(entry.finding.target) == true { continue }
      lines.append(entry.finding.emptiness)
    }
    return lines
  }

  private func openMetrics(_ logger: Logger) throws -> MetricsReport? {
    guard let path = report.metrics else { return nil }
    let file = try MetricsFile(path: path)
    try file.check()
    return MetricsReport(file: file, start: start, logger: logger)
  }
}

/// The metrics of one run. If they cannot be written, that is only a warning.
struct MetricsReport {
  let file: MetricsFile
  let start: RunStart
  let logger: Logger

  /// Writes the metrics of a run that was carried through, or of one that failed or was interrupted.
  func write(_ run: RunReport?, status: ExitStatus) {
    let end = RunEnd(
      time: Clock.now, elapsed: Clock.steady - start.steady, status: status.rawValue,
      pipeline: start.pipeline)
    do throws(AuditError) {
      if let run {
        try file.write(run.result, news: run.news, facts: run.facts, end: end)
      } else {
        try file.write(failure: end)
      }
    } catch {
      logger.warning("\(error.context)")
    }
  }
}
