internal import AppAttest
package import AuditEngine

/// A build as reports have it: in a run with a state, with the nights on which it was seen.
package struct ReportedBuild: Sendable {
  package var row: BuildRow
  /// It counts this run as well. It is nil without a state.
  package var sighting: BuildSighting?

  package init(_ row: BuildRow, _ sighting: BuildSighting?) {
    self.row = row
    self.sighting = sighting
  }
}

/// The columns of `builds.csv` (`reports.R65`).
package enum BuildColumns {
  static let name = "builds.csv"
  static let plain = Columns(build + counts)
  static let withState = Columns(build + counts + nights)
  /// The columns by which builds differ.
  static let identity = Columns(build)
  /// The columns of `state builds`.
  package static let kept = Columns(build + nights)

  private static let build: [Column<ReportedBuild>] = [
    .text("app_id", "the App ID", \.row.build.appID),
    .word("platform", "ios or macos, by the certificate of the key", \.row.build.platform),
    .category("category", "the validation category", \.row.build.category),
    .text("bundle_version", "the app's version", \.row.build.bundleVersion),
    .hex("code_hash", "the hash of the code", \.row.build.codeHash),
  ]

  private static let counts: [Column<ReportedBuild>] = [
    .time("first_seen", "the time of its first verified record", \.row.counts.firstSeen),
    .time("last_seen", "the time of its last one", \.row.counts.lastSeen),
    .number("keys", "the keys that used it", \.row.counts[.keys]),
    .number("subjects", "the accounts or users that used it", \.row.counts[.subjects]),
    .number("attestations", "its verified attestations", \.row.counts[.attestations]),
    .number("assertions", "its verified assertions", \.row.counts[.assertions]),
    .number("accepted", "those that the server accepted", \.row.counts[.accepted]),
    .number("rejected", "those that the server rejected", \.row.counts[.rejected]),
    .number("findings", "findings about them", \.row.counts[.findings]),
    .word("worst_severity", "the most severe of them", \.row.counts.worst),
  ]

  private static let nights: [Column<ReportedBuild>] = [
    .text("first_night", "with a state: the day of the first run that saw it", \.firstNight),
    .number("nights", "with a state: the number of runs that saw it", \.nights),
  ]
}

extension ReportedBuild {
  fileprivate var firstNight: String {
    get { sighting?.firstNight ?? "" }
    set { sighting = BuildSighting(firstNight: newValue, nights: nights) }
  }

  fileprivate var nights: UInt64 {
    get { sighting?.nights ?? 0 }
    set { sighting = BuildSighting(firstNight: firstNight, nights: newValue) }
  }
}
