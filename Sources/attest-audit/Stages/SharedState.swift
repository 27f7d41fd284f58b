import AuditEngine
import AuditSettings
import AuditState

/// A state that several processes of one run read, and none of them changes.
struct SharedState {
  private let directory: StateDirectory
  private let run: StateTransaction

  /// Opens the state that the settings name for a run that began at `startedAt`, in milliseconds since
  /// 1970.
  init(_ settings: StateSettings, startedAt: Int64) throws(StateError) {
    directory = try StateDirectory.open(path: settings.dir, mode: .reference, now: startedAt)
    run = try directory.beginRun(
      TransactionFacts(
        id: "", day: "", startedAt: startedAt, window: settings.window,
        pendingFor: settings.pendingFor))
  }

  /// The memory of earlier runs.
  var history: RunMemory { run.history }
}
