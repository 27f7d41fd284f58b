import AuditEngine
import AuditLog
import AuditReport
import AuditSettings
import AuditState
import Files
import Logging
import Synchronization

struct RunStart {
  let wall = Clock.now
  let steady = Clock.steady
  /// The pipeline file as given, or nil if there was none.
  let pipeline: String?
  let id: String

  init(pipeline: String?) {
    self.pipeline = pipeline
    id = Clock.identifier(wall)
  }
}

/// The output of a run's result: the report, the printed block, the status.
struct RunReport {
  let settings: RunSettings
  let result: any AuditResult
  /// The state, or nil if the run stands alone.
  let session: StateSession?
  let start: RunStart
  /// The function that is called once every row was taken, before any of the files is put in place.
  private let check: () throws -> Void
  private let review: FindingReview

  init(
    _ start: RunStart, settings: RunSettings, result: any AuditResult, session: StateSession?,
    check: @escaping () throws -> Void = {}
  ) {
    self.start = start
    self.check = check
    self.settings = settings
    self.result = result
    self.session = session
    let fixed = Set(settings.configuration.severities.keys)
    review =
      session.map { session in
        FindingReview(session.history, day: settings.configuration.day, fixed: fixed) {
          try session.run.figures()
        }
      } ?? FindingReview(fixed: fixed)
  }

  var facts: RunFacts {
    RunFacts(
      id: start.id, pipeline: start.pipeline, startedAt: start.wall, finishedAt: Clock.now,
      elapsed: Clock.steady - start.steady, threads: settings.configuration.limits.jobs,
      peakMemoryBytes: Machine.peakMemory, spilledBytes: result.totals.spilledBytes,
      verifier: settings.configuration.verification.verifier, signatures: result.totals.signatures)
  }

  private var report: ReportSettings { settings.report }

  /// The new findings, once the report is written, or nil if there is no state.
  var news: FindingNews? { review.hasState ? review.news : nil }

  /// Writes the report, if any, and remembers findings. Returns notices about what failed after it.
  func write(progress: AuditProgress, control: RunControl) throws -> [String] {
    prepare(progress)
    guard let out = report.out, !report.isStreamed else {
      if report.isStreamed {
        try (report.contents.formats.first ?? .jsonl).write(
          result, review: review, progress: progress, day: settings.configuration.day,
          to: .standardOutput)
      } else {
        try review.review(result, progress: progress)
      }
      try review.reviewWithdrawn(result)
      try beforePlacing()
      return []
    }
    let directory = try ReportDirectory(path: out, overwrite: report.overwrite, mode: report.mode)
    control.attach(directory)
    var contents = report.contents
    contents.settings = settings.recorded
    contents.day = settings.configuration.day
    return try directory.write(
      result, contents, review: review, progress: progress, run: { facts },
      beforePlacing: beforePlacing)
  }

  private func beforePlacing() throws {
    try check()
    try session?.prepare(
      result, newFindings: review.news.count, rejectRate: settings.configuration.limits.rejectRate)
  }

  /// Lets the progress line count the rows of the report.
  private func prepare(_ progress: AuditProgress) {
    let totals = result.totals
    var rows = totals.findings
    if report.out != nil {
      rows += totals.keys.reduce(0, +) + totals.unreadable
      if report.contents.verdicts { rows += totals.verdicts.reduce(0, +) }
    }
    progress.rowsDone.store(0, ordering: .relaxed)
    progress.rowsTotal.store(Int(clamping: rows), ordering: .relaxed)
    progress.phase = .reporting
  }

  func conclude() -> ExitStatus {
    let onlyNew = report.onlyNew && news != nil
    let isReached = report.failOn.isReached(
      by: onlyNew ? news?.bySeverity ?? [] : result.totals.findingsBySeverity)
    let isPartial = result.isPartial(above: settings.configuration.limits.rejectRate)
    // Withdrawn findings change no status, but are printed, since the output is mailed.
    if !report.quiet, !report.isStreamed,
      isReached || isPartial || !reasons.isEmpty || result.closedCount > 0
        || Console.outputIsTerminal
    {
      let hasColors = Console.hasColors(report.color)
      let block = SummaryBlock(
        result, review, reasons: reasons, unconfigured: unconfigured, report: report.out,
        onlyNew: report.onlyNew, coloured: hasColors)
      Console.print(block.text, hasColors: hasColors)
    } else if let unconfigured {
      TerminalLog.logger(report.logLevel).notice("\(unconfigured)")
    }
    if isPartial { return .partial }
    return isReached ? .findings : .clean
  }

  /// Whether the schema has rules for certain lines, and none of the lines is one of these.
  private var readsNothing: Bool {
    let totals = result.totals
    // Lines that are skipped because of their platform are read.
    return totals.skipped > 0 && totals.hasNoRecords && totals.unreadable + totals.notAudited == 0
      && settings.configuration.schema.definition.rules.allSatisfy {
        $0.fields[.platform] == nil && $0.fields[.format] == nil
      }
  }

  /// The signs of a wrong schema, one line each: it reads no line, or too few of an input.
  private var reasons: [String] {
    let configuration = settings.configuration
    let totals = result.totals
    if readsNothing {
      let count = SummaryNumber.counted(Int(clamping: totals.skipped), "line")
      return [
        "the schema \(configuration.schema.name) reads none of \(count): is it in another form? "
          + "\(Tool.name) init infers a schema"
      ]
    }
    let unread =
      totals.notAudited > 0 && totals.attestations + totals.assertions == 0
      ? [
        "the schema \(configuration.schema.name) reads no line, though "
          + "\(SummaryNumber.grouped(totals.notAudited)) of "
          + "\(SummaryNumber.grouped(totals.lines - min(totals.known, totals.lines))) contain App "
          + "Attest tokens; \(Tool.name) init infers one"
      ] : []
    return unread
      + result.inputs.filter { $0.isMisread(above: configuration.limits.rejectRate) }.map {
        $0.misreading(
          by: configuration.schema.name, $0.source, name: PrintableText.line($0.source, limit: 200))
      }
  }

  private var unconfigured: String? { result.totals.unconfiguredNotice(settings.configuration) }
}
