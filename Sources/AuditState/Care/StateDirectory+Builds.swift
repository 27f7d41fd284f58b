package import AuditEngine
internal import GRDB

extension StateDirectory {
  /// Returns the builds that runs saw, in the order of their columns, with the nights.
  package func builds() throws(StateError) -> [(build: Build, sighting: BuildSighting)] {
    try database.access { database throws(StateError) in
      var builds: [(build: Build, sighting: BuildSighting)] = []
      try BuildTable.table.each(database) { row throws(StateError) in
        builds.append(try BuildTable.entry(row))
      }
      return builds.sorted { $0.build.texts.lexicographicallyPrecedes($1.build.texts) }
    }
  }
}
