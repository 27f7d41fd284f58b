internal import AppAttest
internal import AuditEngine
internal import Synchronization

/// The builds of earlier runs, and those of this one, which wait for the commit.
final class RunBuilds: BuildMemory {
  private let database: StateDatabase
  private let isAdvance: Bool
  /// The builds that wait, and the number of new ones that the state still takes, once it is known.
  private let waiting: Mutex<(builds: [Build], room: Int?)> = Mutex(([], nil))

  private let limit: Int

  /// Makes the builds of a run. A state takes `limit` builds.
  init(_ database: StateDatabase, isAdvance: Bool, limit: Int = BuildRow.limit) {
    self.limit = limit
    self.database = database
    self.isAdvance = isAdvance
  }

  func sighting(_ digest: Digest256) throws(AuditError) -> BuildSighting? {
    try BuildTable.sighting(database, digest)
  }

  func remember(_ build: Build, isNew: Bool) throws(AuditError) -> Bool {
    guard isAdvance else { throw .misuse("a build is remembered without advance") }
    return try waiting.withLock { waiting throws(AuditError) in
      if isNew {
        let room = if let room = waiting.room { room } else { try self.room() }
        waiting.room = max(room - 1, 0)
        guard room > 0 else { return false }
      }
      waiting.builds.append(build)
      return true
    }
  }

  private func room() throws(AuditError) -> Int {
    limit - Int(try database.count("builds"))
  }

  /// Puts what was remembered into the database; `day` is the run's.
  func apply(day: String) throws(StateError) {
    let builds = waiting.withLock { waiting in
      defer { waiting = ([], nil) }
      return waiting.builds
    }
    for build in builds { try BuildTable.take(database, build, day: day) }
  }
}
