import AuditEngine
package import AuditReport

/// The settings of an audit's report.
package struct ReportSettings: Sendable, Equatable {
  /// The report folder, or nil if none is written.
  package var out: String?
  package var overwrite = false
  package var verdicts = false
  /// The permissions of the report's files. Whoever can read them can enter the folder.
  package var mode: UInt32 = 0o600
  package var html = true
  /// The formats of findings that are wanted beside CSV and JSON Lines.
  package var formats: [FindingFormat] = []
  /// Whether the report gets an index of the events of each key.
  package var index = false
  package var failOn = FailOn.level(.high)
  package var quiet = false
  package var color = ColorChoice.auto
  package var logLevel = LogLevel.notice
  /// The file for the metrics of the run, in the text format of Prometheus, or nil for none.
  package var metrics: String?
  /// Whether the printed block and the status consider only new findings.
  package var onlyNew = false

  /// Removes every file that is asked for: the result is examined, and no report is written.
  package mutating func keepNothing() {
    out = nil
    metrics = nil
    formats = []
    (verdicts, index) = (false, false)
  }

  /// Whether findings go to standard output instead of a folder.
  package var isStreamed: Bool { out == "-" }
}
