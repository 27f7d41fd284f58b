package import AuditEngine

extension StateDirectory {
  /// Returns the builds that runs saw, in the order of their columns, with the nights.
  package func builds() throws(StateError) -> [(build: Build, sighting: BuildSighting)] {
    try BuildTable.table.rows(database, as: BuildTable.Entry.self)
      .map { ($0.build, $0.sighting) }
      .sorted { $0.build.texts.lexicographicallyPrecedes($1.build.texts) }
  }
}
