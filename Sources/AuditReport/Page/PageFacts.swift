internal import AuditEngine

/// What the page says of a run beside its findings and keys.
struct PageFacts {
  var inputs: [InputRow]
  var totals: AuditTotals
  var sources: SourceNames
  var settings: [PageSetting]
  var hasState: Bool
  /// The version of the program that audited.
  var toolVersion = Tool.version

  init(
    inputs: [InputRow], totals: AuditTotals, sources: SourceNames, settings: [PageSetting],
    hasState: Bool
  ) {
    self.inputs = inputs
    self.totals = totals
    self.sources = sources
    self.settings = settings
    self.hasState = hasState
  }

  init(_ result: any AuditResult, settings: [PageSetting], hasState: Bool) {
    self.init(
      inputs: result.inputs, totals: result.totals, sources: SourceNames(result),
      settings: settings, hasState: hasState)
  }
}
