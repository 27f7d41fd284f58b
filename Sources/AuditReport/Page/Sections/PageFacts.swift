internal import AuditEngine

/// A setting of the run, as the page lists it.
struct PageSetting: Sendable, Equatable {
  var name: String
  var value: String
}

/// The facts about a run that the page shows beside its findings and keys.
struct PageFacts {
  var inputs: [InputRow]
  var totals: AuditTotals
  var settings: [PageSetting]
  var hasState: Bool
  /// The hours in which inputs are silent.
  var silences: [InputSilence]
  /// The states of the log that explain findings, and the things that it cannot show.
  var likelyCauses: [LikelyCause] = []
  var blindSpots: [BlindSpot] = []
  var builds = BuildTotals()
  /// The version of the program that audited.
  var toolVersion = Tool.version
  /// The night of a run with a state, such as `2026-03-08`.
  var night: String?

  /// The number of inputs that an earlier run read.
  var known: Int { inputs.count { $0.status == .known } }

  var title: String { "App Attest audit" + (night.map { " of \($0)" } ?? "") }
}
