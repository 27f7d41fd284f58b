/// How the program ends; the numbers above 63 are those of sysexits(3).
package enum ExitStatus: Int32, Sendable {
  /// Audited, nothing at or above the level to fail on.
  case clean = 0
  /// Audited, something at or above it.
  case findings = 1
  /// Audited in part: an input was unreadable, truncated, corrupt, or another log than was said.
  case partial = 2
  /// Bad usage.
  case usage = 64
  /// A pipeline, key or trust-anchor file that is not valid.
  case invalidFile = 65
  /// Anything else.
  case failure = 70
  /// The report, or what has to be spilled, cannot be written.
  case cannotWrite = 73
  /// Another run holds the state.
  case locked = 75
  /// SIGINT.
  case interrupted = 130
  /// SIGTERM.
  case terminated = 143
}
