package import AuditEngine
internal import Basics
internal import Glibc

/// A file of findings in one format while it is written. It is used by one thread.
final class FindingFile {
  private let format: FindingFormat
  let columns: Columns<ReportedFinding>
  /// The time for findings without one, in formats that require it: the beginning of the run's day.
  let dayTime: Int64
  private var file: OutputFile

  /// The words of formats that require a time, about a finding without one.
  static let noTime = "day of the audit, because the finding has no time"

  /// Takes over `file`. `day` is the day that the run is about, or empty if it has none.
  init(_ format: FindingFormat, hasState: Bool, day: String, _ file: consuming OutputFile) {
    self.format = format
    columns = FindingColumns.columns(hasState: hasState)
    dayTime = RFC3339.milliseconds(Array("\(day)T00:00:00Z".utf8).span) ?? 0
    self.file = file
    if format == .csv { columns.writeHeader(to: &self.file.rows) }
  }

  func write(_ finding: ReportedFinding) throws(AuditError) {
    switch format {
    case .csv: columns.write(csv: finding, to: &file.rows)
    case .jsonl: columns.write(json: finding, to: &file.rows)
    case .ocsf: OCSF.tree(finding, self).writeLine(to: &file.rows)
    case .ecs: ECS.tree(finding, self).writeLine(to: &file.rows)
    case .timesketch: timesketch(finding).writeLine(to: &file.rows)
    }
    try file.flushIfFull()
  }

  private func timesketch(_ reported: ReportedFinding) -> JSONTree {
    let finding = reported.finding
    return TimesketchEvent.tree(
      "\(finding.severity.name) \(finding.code.name): \(finding.detail)",
      at: finding.time ?? dayTime,
      of: finding.time == nil ? Self.noTime : "finding of \(Tool.name)",
      columns.members(of: reported))
  }

  func finish() throws(AuditError) -> ManifestEntry { try file.finish() }
}

/// Findings on a stream that is open already. `day` is the day of the run, or empty if it has none.
extension FindingFormat {
  /// Writes every finding that is not accepted. With a state, a reader that went away is an error.
  package func write(
    _ result: any AuditResult, review: FindingReview, progress: AuditProgress, day: String,
    to output: OpenFile
  ) throws {
    try write(to: output, hasState: review.hasState, day: day, mayEnd: !review.hasState) { file in
      try review.review(result, progress: progress) { reported in
        if !reported.finding.isAccepted { try file.write(reported) }
      }
    }
  }

  package func write(_ report: StoredReport, to output: OpenFile) throws {
    let summary = report.summary
    try write(to: output, hasState: summary.hasState, day: summary.day, mayEnd: true) { file in
      try report.forEachFinding { finding, _ in try file.write(finding) }
    }
  }

  /// Writes what `body` gives. If `mayEnd`, a reader that went away ends it.
  private func write(
    to output: OpenFile, hasState: Bool, day: String, mayEnd: Bool,
    _ body: (FindingFile) throws -> Void
  ) throws {
    let file = FindingFile(
      self, hasState: hasState, day: day, OutputFile(output, cancellation: Cancellation()))
    do {
      try body(file)
      _ = try file.finish()
    } catch let error as AuditError where mayEnd && error.code == .file(EPIPE) {
      return
    }
  }
}
