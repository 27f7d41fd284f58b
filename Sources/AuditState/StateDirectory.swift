package import AuditEngine
package import AuditLog
internal import Files
internal import GRDB
internal import Glibc

/// An open state directory. For `advance` it is locked, cleared of what a killed run left, and made
/// if it does not exist. For `reference` it is read as it was when it was opened.
package final class StateDirectory: Sendable {
  /// The path as the user named it.
  package var path: String { folder.path }
  package let mode: RunMemory.Mode
  /// The notices about what was done on opening, one line each.
  package let notices: [String]
  let folder: Folder
  let database: StateDatabase
  /// The lock that is held as long as the directory is open, or nil for `reference`.
  private let lock: StateLock?

  /// Opens the state at `path`, at `now` in milliseconds since 1970. For `advance` it waits for the
  /// lock for `wait` milliseconds, makes the state, for its owner alone, if nothing is there, and
  /// removes the remains of a killed run's report from the folder `reports`, if given.
  package static func open(
    path: String, mode: RunMemory.Mode, wait: Int64 = 0, now: Int64, reports: String? = nil
  ) throws(StateError) -> StateDirectory {
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw StateError(.file(EINVAL), "the state directory has no name")
    }
    let folder = Folder(path: path)
    switch mode {
    case .advance:
      try StateMaking.makeFolder(folder)
      try StateAccess.check(folder, mode)
      let lock = try StateLock(folder, wait: wait, now: now)
      try StateDebris.removeUnfinished(folder)
      try StateMaking.makeDatabase(folder)
      let database = try StateDatabase(path: folder.file(StateFormat.database), readOnly: false)
      try StateSchema.check(database, path: path)
      for kind in SegmentKind.allCases { try folder.makeMissing(kind.folder) }
      let notices = try StateDebris.remove(
        folder, database, reports: reports.map { Folder(path: $0) })
      return StateDirectory(folder, mode, database, lock, notices)
    case .reference:
      try StateMaking.require(folder)
      try StateAccess.check(folder, mode)
      let database = try StateDatabase(path: folder.file(StateFormat.database), readOnly: true)
      try database.begin(writes: false)
      try StateSchema.check(database, path: path)
      return StateDirectory(folder, mode, database, nil, [])
    }
  }

  private init(
    _ folder: Folder, _ mode: RunMemory.Mode, _ database: StateDatabase, _ lock: StateLock?,
    _ notices: [String]
  ) {
    self.folder = folder
    self.mode = mode
    self.database = database
    self.lock = lock
    self.notices = notices
  }

  deinit {
    database.close()
  }

  /// Returns the inputs of earlier runs, without the lines that some `runs` read.
  package func ledger(
    without runs: Set<Int64> = []
  ) throws(StateError) -> any InputLedger { try StateLedger(self, without: runs) }

  var generations: StateGenerations { StateGenerations(folder: folder, database: database) }

  /// Starts a run of the mode that the state was opened for: at most one at a time.
  package func beginRun(_ facts: TransactionFacts) throws(StateError) -> StateTransaction {
    try StateTransaction(self, facts)
  }
}
