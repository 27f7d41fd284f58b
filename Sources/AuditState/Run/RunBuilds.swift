internal import AppAttest
internal import AuditEngine
internal import Files
internal import Synchronization

/// The builds of earlier runs, and those of this one, which wait for the commit.
final class RunBuilds: BuildMemory {
  private let database: StateDatabase
  /// The builds that wait, and the number of new ones that the state still takes, once it is known.
  private let waiting: Mutex<(builds: SortedLog<RowDigest, BuildTable.Entry>, room: Int?)>
  private let limit: Int

  /// Makes the builds of a run. A state takes `limit` builds.
  init(_ database: StateDatabase, folder: Folder, limit: Int = BuildRow.limit) {
    self.limit = limit
    self.database = database
    waiting = Mutex((SortedLog(folder), nil))
  }

  func sighting(_ digest: Digest256) throws(AuditError) -> BuildSighting? {
    try BuildTable.sighting(database, digest)
  }

  func remember(_ build: Build, isNew: Bool) throws(AuditError) -> Bool {
    try waiting.withLock { waiting throws(AuditError) in
      if isNew {
        let room = if let room = waiting.room { room } else { try self.room() }
        waiting.room = max(room - 1, 0)
        guard room > 0 else { return false }
      }
      let sighting = BuildSighting(firstNight: "", nights: 1)
      try waiting.builds.append(
        RowDigest(digest: build.digest), BuildTable.Entry(build: build, sighting: sighting))
      return true
    }
  }

  private func room() throws(AuditError) -> Int {
    BuildRow.limit - Int(try database.count("builds"))
  }

  /// Puts what was remembered into the database; `day` is the run's.
  func apply(day: String) throws(StateError) {
    try waiting.withLock { waiting throws(StateError) in
      waiting.room = nil
      try waiting.builds.each { _, entry, _ throws(StateError) in
        try BuildTable.take(database, entry.build, day: day)
      }
    }
  }
}
