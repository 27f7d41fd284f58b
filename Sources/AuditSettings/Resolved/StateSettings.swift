package import AuditEngine

/// The settings of the state: its place, and the times for which it keeps things. Durations are in
/// milliseconds.
package struct StateSettings: Sendable, Equatable {
  /// The state directory.
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
