package import AuditEngine

/// All settings of a run, resolved and valid.
package struct RunSettings: Sendable {
  package var configuration: AuditConfiguration
  package var report = ReportSettings()
  /// The notices of the reader of the settings, one line each.
  package var notices: [String] = []
  /// The YAML of the schema, or nil for one that comes with the program.
  package internal(set) var schemaText: String?
  /// The list of known keys as it was named, or nil if there is none.
  package internal(set) var keysFile: String?
  /// The values of ``state``, also if there is no state.
  var stateValues = StateSettings(dir: "")

  /// The state directory, or nil if each run stands alone.
  var stateDir: String? {
    get { stateValues.dir.isEmpty ? nil : stateValues.dir }
    set { stateValues.dir = newValue ?? "" }
  }

  /// The settings of the state, or nil if each run stands alone.
  package var state: StateSettings? { stateDir == nil ? nil : stateValues }

  /// The settings of a run without any given setting, except for those that depend on the machine.
  static let standard = RunSettings(
    configuration: AuditConfiguration(
      inputs: [], apps: [], trustAnchors: [], receiptAnchors: [],
      limits: AuditLimits(memory: 0, jobs: 0, tempDirectory: "")))
}
