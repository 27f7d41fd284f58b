internal import AppAttest
internal import AuditEngine
internal import GRDB
internal import Synchronization

/// The builds of earlier runs, and those of this one, which wait for the commit.
final class RunBuilds: BuildMemory {
  private let database: StateDatabase
  private let isAdvance: Bool
  private let waiting: Mutex<[Build]> = Mutex([])

  init(_ database: StateDatabase, isAdvance: Bool) {
    self.database = database
    self.isAdvance = isAdvance
  }

  func sighting(_ digest: Digest256) throws(AuditError) -> BuildSighting? {
    try database.access { database throws(StateError) in
      try BuildTable.sighting(database, digest)
    }
  }

  func remember(_ build: Build) throws(AuditError) {
    guard isAdvance else { throw .misuse("a build is remembered without advance") }
    waiting.withLock { $0.append(build) }
  }

  /// Puts what was remembered into the database; `day` is the run's.
  func apply(to database: Database, day: String) throws(StateError) {
    let builds = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for build in builds { try BuildTable.take(database, build, day: day) }
  }
}
