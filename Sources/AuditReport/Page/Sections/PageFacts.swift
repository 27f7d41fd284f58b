internal import AuditEngine

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

  init(
    inputs: [InputRow], totals: AuditTotals, settings: [PageSetting],
    hasState: Bool, silences: [InputSilence]
  ) {
    self.inputs = inputs
    self.totals = totals
    self.settings = settings
    self.hasState = hasState
    self.silences = silences
  }

  init(
    _ result: any AuditResult, settings: [PageSetting], hasState: Bool, silences: [InputSilence]
  ) {
    self.init(
      inputs: result.inputs, totals: result.totals,
      settings: settings, hasState: hasState, silences: silences)
    likelyCauses = result.likelyCauses
    blindSpots = result.blindSpots
  }
}
