internal import AppAttest
internal import AuditEngine
internal import GRDB

/// The table of the builds that runs saw.
enum BuildTable {
  static let table = CheckedTable(
    "builds", key: ["build"],
    [
      "app_id", "platform", "category", "bundle_version", "code_hash", "first_night", "nights",
    ])

  /// Returns on which nights a build was seen, or nil if it is not known.
  static func sighting(
    _ database: Database, _ digest: Digest256
  ) throws(StateError) -> BuildSighting? {
    guard let row = try table.row(database, "WHERE build = ?", [.digest(digest)]) else {
      return nil
    }
    return try entry(row).sighting
  }

  /// Returns the build of a row and the nights on which it was seen.
  static func entry(
    _ row: CheckedRow
  ) throws(StateError) -> (build: Build, sighting: BuildSighting) {
    var build = Build(
      appID: try row.text(1), bundleVersion: try row.text(4), codeHash: try row.blob(5))
    if !row.isNull(2) {
      guard let platform = KeyPlatform(rawValue: try row.number(2)) else { throw row.nonsense }
      build.platform = platform
    }
    if !row.isNull(3) { build.category = ValidationCategory(rawValue: try row.number(3)) }
    guard try row.digest(0) == build.digest, try row.integer(7) > 0 else { throw row.nonsense }
    return (
      build, BuildSighting(firstNight: try row.text(6), nights: UInt64(try row.integer(7)))
    )
  }

  /// Counts a build of the run of a day. Builds beyond ``BuildRow/limit`` are not added.
  static func take(_ database: Database, _ build: Build, day: String) throws(StateError) {
    let earlier = try sighting(database, build.digest)
    if earlier == nil {
      let count = try SQLStatement(database, "SELECT COUNT(*) FROM builds")
        .first([]) { $0.integer(0) }
      guard count ?? 0 < BuildRow.limit else { return }
    }
    try table.put(
      database,
      [
        .digest(build.digest), .text(build.appID),
        .optional(build.platform.map { Int64($0.rawValue) }),
        .optional(build.category.map { Int64($0.rawValue) }), .text(build.bundleVersion),
        .blob(build.codeHash), .text(earlier?.firstNight ?? day),
        .integer(Int64(clamping: (earlier?.nights ?? 0) &+ 1)),
      ])
  }
}
