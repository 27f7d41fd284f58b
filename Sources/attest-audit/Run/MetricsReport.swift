import AuditEngine
import AuditLog
import AuditReport
import AuditSettings
import Logging

/// The metrics of one run of the command. If they cannot be written, that is a warning and does not
/// change the status of the run.
struct MetricsReport {
  let file: MetricsFile
  /// The start of the run by the monotonic clock, in milliseconds.
  let started: Int64
  let pipeline: String?
  let logger: Logger

  /// Writes the metrics of a run that was carried through.
  func succeed(_ run: RunReport, facts: RunFacts, status: ExitStatus) {
    let metrics = RunMetrics(
      run.result, news: run.news, facts: facts, end: end(status))
    warn { () throws(ReportError) in try file.write(metrics) }
  }

  /// Writes the metrics of a run that failed or was interrupted.
  func fail(_ status: ExitStatus) {
    let end = end(status)
    warn { () throws(ReportError) in try file.write(failure: end) }
  }

  private func end(_ status: ExitStatus) -> RunEnd {
    RunEnd(
      time: Clock.now, elapsed: Clock.steady - started, status: status.rawValue,
      pipeline: pipeline)
  }

  private func warn(_ write: () throws(ReportError) -> Void) {
    do throws(ReportError) { try write() } catch { logger.warning("\(error.context)") }
  }
}
