internal import AppAttest
internal import AuditEngine
internal import Synchronization

/// The builds of earlier runs, and those of this one, which wait for the commit.
final class RunBuilds: BuildMemory {
  private let database: StateDatabase
  /// The builds that wait, and the number of new ones that the state still takes, once it is known.
  private let waiting: Mutex<(builds: [Build], room: Int?)> = Mutex(([], nil))

  init(_ database: StateDatabase) { self.database = database }

  func sighting(_ digest: Digest256) throws(AuditError) -> BuildSighting? {
    try BuildTable.sighting(database, digest)
  }

  func remember(_ build: Build, isNew: Bool) throws(AuditError) -> Bool {
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
    BuildRow.limit - Int(try database.count("builds"))
  }

  /// Puts what was remembered into the database; `day` is the run's.
  func apply(day: String) throws(StateError) {
    for build in waiting.withLock({ $0.builds }) {
      try BuildTable.take(database, build, day: day)
    }
  }
}
