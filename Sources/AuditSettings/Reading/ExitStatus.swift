/// The exit status of the program. The numbers above 63 are those of sysexits(3).
package enum ExitStatus: Int32, Sendable {
  /// The audit is complete, without findings at or above the level to fail on.
  case clean = 0
  /// The audit is complete, with findings at or above that level.
  case findings = 1
  /// The audit is partial: an input was unreadable, truncated, corrupt, or another log than was
  /// said.
  case partial = 2
  /// Bad usage.
  case usage = 64
  /// A pipeline, key or trust-anchor file that is not valid.
  case invalidFile = 65
  /// Any other failure.
  case failure = 70
  /// The report, or a temporary file, cannot be written.
  case cannotWrite = 73
  /// Another run has locked the state.
  case locked = 75
  /// SIGINT.
  case interrupted = 130
  /// SIGTERM.
  case terminated = 143
}
