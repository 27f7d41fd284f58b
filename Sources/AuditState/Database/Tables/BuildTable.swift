internal import AppAttest
internal import AuditEngine

enum BuildTable {
  struct Entry: CodedRow {
    var build = Build(appID: "")
    var sighting = BuildSighting(firstNight: "", nights: 0)

    mutating func fields<Coder: RowCoder>(_ coder: inout Coder) throws(AuditError) {
      var digest = build.digest
      try coder.digest(&digest)
      try coder.text(&build.appID)
      try coder.value(&build.platform)
      try coder.optional(&build.category)
      try coder.text(&build.bundleVersion)
      try coder.counted(&build.codeHash)
      try coder.text(&sighting.firstNight)
      try coder.number(&sighting.nights)
      try coder.require(digest == build.digest && (1...UInt64(Int64.max)).contains(sighting.nights))
    }
  }

  static let table = CheckedTable("builds", key: "build", of: Entry.self)

  /// Returns on which nights a build was seen, or nil if it is not known.
  static func sighting(
    _ database: StateDatabase, _ digest: Digest256
  ) throws(StateError) -> BuildSighting? {
    try table.row(database, "WHERE build = ?", .digest(digest), as: Entry.self)?.sighting
  }

  /// Counts a build of the run of a day.
  static func take(_ database: StateDatabase, _ build: Build, day: String) throws(StateError) {
    var sighting =
      try sighting(database, build.digest) ?? BuildSighting(firstNight: day, nights: 0)
    sighting.nights += sighting.nights < Int64.max ? 1 : 0
    try table.replace(database, Entry(build: build, sighting: sighting))
  }
}
