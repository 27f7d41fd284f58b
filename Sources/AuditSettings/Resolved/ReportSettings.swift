package import AuditEngine
package import AuditReport

package struct ReportSettings: Sendable, Equatable {
  /// The report folder, or nil if none is written.
  package var out: String?
  package var overwrite = false
  package var contents = ReportContents(page: true)
  /// The permissions of the report's files. Whoever can read them can enter the folder.
  package var mode: UInt32 = 0o600
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
    contents = ReportContents(page: false)
  }

  /// Whether findings go to standard output instead of a folder.
  package var isStreamed: Bool { out == "-" }
}

/// The severity from which on a run fails.
package enum FailOn: Sendable, Equatable {
  case level(Severity)
  case never

  /// Returns whether findings, counted by `Severity.rawValue`, hold one at or above the level.
  package func isReached(by counts: [UInt64]) -> Bool {
    guard case .level(let level) = self else { return false }
    return counts.dropFirst(Int(level.rawValue)).contains { $0 > 0 }
  }
}

/// The settings of the state: its place, and what it keeps for how many milliseconds.
package struct StateSettings: Sendable, Equatable {
  package var dir: String
  package var mode = RunMemory.Mode.advance
  /// The time for which a clientDataHash is remembered.
  package var window: Int64 = 30 * 86_400_000
  /// The time for which an assertion waits for its key, and a judged one for those that come late.
  package var pendingFor: Int64 = 3 * 86_400_000
  /// The time for which a file must not have been changed before it is read.
  package var settle: Int64 = 600_000
  /// The number of earlier states that are kept: those before the last runs.
  package var generations = 2
  /// The time to wait for another run to end, or 0 for not at all.
  package var waitLock: Int64 = 0
}

package enum ColorChoice: String, Sendable, CaseIterable {
  /// On a terminal that shows them, unless `NO_COLOR` is set (no-color.org).
  case auto
  case always
  case never

  package func isOn(isTerminal: Bool, environment: [String: String]) -> Bool {
    switch self {
    case .always: true
    case .never: false
    case .auto:
      isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }
  }
}

package enum LogLevel: String, Sendable, CaseIterable {
  case trace, debug, info, notice, warning, error, critical
}
