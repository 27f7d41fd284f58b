import AuditEngine
import Logging

/// From which severity on a run fails.
enum FailOn: Sendable, Equatable {
  case level(Severity)
  case never

  /// The word of flags and pipeline files.
  var name: String {
    switch self {
    case .level(let severity): severity.name
    case .never: "never"
    }
  }

  /// Whether findings, counted by `Severity.rawValue`, hold one at or above the level.
  func isReached(by counts: [UInt64]) -> Bool {
    guard case .level(let level) = self else { return false }
    return counts.dropFirst(Int(level.rawValue)).contains { $0 > 0 }
  }
}

/// What becomes of an audit's result.
struct ReportSettings: Sendable, Equatable {
  /// The report folder; nil: none is written.
  var out: String?
  var overwrite = false
  var verdicts = false
  var failOn = FailOn.level(.high)
  var quiet = false
  var logLevel = Logger.Level.notice
  /// The file for the metrics of the run, in the text format of Prometheus; nil: none.
  var metrics: String?
  /// Whether the printed block and the status look at new findings alone.
  var onlyNew = false
}

/// Everything that a run was told, resolved and valid.
struct AuditSettings: Sendable {
  var configuration: AuditConfiguration
  var report: ReportSettings
  /// What is kept from run to run; nil: each run stands alone.
  var state: StateSettings?
  /// What the reader of the settings wants said, a line each.
  var notices: [String] = []
}
