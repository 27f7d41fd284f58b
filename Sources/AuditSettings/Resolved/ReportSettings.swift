import AuditEngine

/// What becomes of an audit's result.
package struct ReportSettings: Sendable, Equatable {
  /// The report folder; nil: none is written.
  package var out: String?
  package var overwrite = false
  package var verdicts = false
  /// The permissions of the report's files; its folder can be entered by whoever can read them.
  package var mode: UInt32 = 0o600
  package var html = true
  package var failOn = FailOn.level(.high)
  package var quiet = false
  package var color = ColorChoice.auto
  package var logLevel = LogLevel.notice
  /// The file for the metrics of the run, in the text format of Prometheus; nil: none.
  package var metrics: String?
  /// True where the printed block and the status look at new findings alone.
  package var onlyNew = false
}
