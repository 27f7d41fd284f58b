/// The level from which on log lines are shown.
package enum LogLevel: String, Sendable, CaseIterable {
  case trace, debug, info, notice, warning, error, critical
}
