package import AuditEngine
internal import Basics
package import Files
internal import Glibc
internal import Synchronization

/// A writer of findings in one format to a stream that is open already, such as standard output.
package struct FindingStream {
  private let format: FindingFormat
  private let output: OpenFile

  package init(_ format: FindingFormat, to output: OpenFile) {
    self.format = format
    self.output = output
  }

  /// Writes every finding that is not accepted. `review` takes all findings if the run has a state.
  ///
  /// - Throws: ``ReportError``, or the error of a stream of `result`. A reader that went away is an
  ///   error if there is a state, since the unread findings would never come again.
  package func write(
    _ result: any AuditResult, review: FindingReview?, progress: AuditProgress
  ) throws {
    let file = open(sightings: review != nil)
    let sources = SourceNames(result)
    do {
      try result.forEachFinding { finding in
        let sighting = try review?.note(finding, sources: sources)
        guard !finding.isAccepted else { return }
        try file.write(finding, sighting, sources: sources)
        progress.rowsDone.wrappingAdd(1, ordering: .relaxed)
      }
      _ = try file.finish()
    } catch let error as ReportError where error.code == .cannotWrite(EPIPE) && review == nil {
      return
    }
  }

  /// Writes every finding of a stored report.
  package func write(_ report: StoredReport) throws {
    let file = open(sightings: report.summary.hasState)
    let sources = report.sourceTable
    do {
      try report.forEachFinding { stored, _ in
        try file.write(stored.finding, stored.sighting, sources: sources)
      }
      _ = try file.finish()
    } catch let error as ReportError where error.code == .cannotWrite(EPIPE) {
      return
    }
  }

  private func open(sightings: Bool) -> FindingFile {
    FindingFile(
      format, OutputFile(output, cancellation: Cancellation()), sightings: sightings)
  }
}
