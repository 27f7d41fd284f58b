package import AuditEngine
internal import Basics
package import Files
internal import Glibc

/// A file of findings in one format while it is written. It is used by one thread.
final class FindingFile {
  private let writer: FindingWriter
  private var file: OutputFile

  /// Takes over `file`.
  init(_ writer: FindingWriter, _ file: consuming OutputFile) {
    self.writer = writer
    self.file = file
    writer.begin(&self.file.rows)
  }

  func write(_ finding: ReportedFinding) throws(ReportError) {
    writer.write(finding, to: &file.rows)
    try file.flushIfFull()
  }

  /// Ends the file. Returns its entry in the manifest.
  func finish() throws(ReportError) -> ManifestEntry { try file.end() }
}

/// A writer of findings in one format to a stream that is open already, such as standard output.
package struct FindingStream {
  private let format: FindingFormat
  private let day: String
  private let output: OpenFile

  /// Makes the writer. `day` is the day that the run is about, or empty if it has none.
  package init(_ format: FindingFormat, day: String, to output: OpenFile) {
    self.format = format
    self.day = day
    self.output = output
  }

  /// Writes every finding that is not accepted. `review` takes all findings. With a state, a reader
  /// that went away is an error: the unread findings would never come again.
  package func write(
    _ result: any AuditResult, review: FindingReview, progress: AuditProgress
  ) throws {
    try write(hasState: review.hasState, mayEnd: !review.hasState) { file in
      try review.review(result, progress: progress) { reported in
        if !reported.finding.isAccepted { try file.write(reported) }
      }
    }
  }

  /// Writes every finding of a stored report.
  package func write(_ report: StoredReport) throws {
    try write(hasState: report.summary.hasState, mayEnd: true) { file in
      try report.forEachFinding { finding, _ in try file.write(finding) }
    }
  }

  /// Writes what `body` gives. If `mayEnd`, a reader that went away ends it.
  private func write(hasState: Bool, mayEnd: Bool, _ body: (FindingFile) throws -> Void) throws {
    let file = FindingFile(
      FindingWriter(format, hasState: hasState, day: day),
      OutputFile(output, cancellation: Cancellation()))
    do {
      try body(file)
      _ = try file.finish()
    } catch let error as ReportError where mayEnd && error.code == .cannotWrite(EPIPE) {
      return
    }
  }
}
