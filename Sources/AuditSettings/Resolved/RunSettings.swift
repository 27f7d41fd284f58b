package import AuditEngine
import AuditLog
package import AuditReport
import Basics

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

/// A report records the table of settings, walked. The same table reads the record back.
extension RunSettings {
  package var recorded: RecordedSettings {
    let values = SettingTable.all.compactMap { setting in
      setting.recorded(in: self).map { (setting.name, $0) }
    }
    var recorded = RecordedSettings(values: .object(values))
    recorded.folder = PathText.currentFolder
    (recorded.schema, recorded.schemaText) = (configuration.schema.name, schemaText)
    recorded.trustAnchors = configuration.trustAnchors.map { Hex.text($0) }
    recorded.receiptAnchors = configuration.receiptAnchors.map { Hex.text($0) }
    (recorded.keys, recorded.knownKeys) = (keysFile, UInt64(configuration.knownKeys.count))
    recorded.state = state?.dir
    return recorded
  }

  /// Makes the settings of a run from those that its report keeps, without known keys.
  package init(_ recorded: RecordedSettings, environment: [String: String]) throws(CommandError) {
    var layer = SettingsLayer()
    layer.schema = try Self.schema(recorded)
    let settings = SettingTable.all.filter(\.decides)
    let members = try Self.node(recorded.valuesText, "values").members(settings.map(\.name))
    for setting in settings {
      guard let value = members[setting.name] else { continue }
      try setting.read(value, in: SettingsFolder(ofFile: ""), into: &layer)
    }
    self = try SettingsResolver(layer: layer, environment: environment, day: "").resolve()
    configuration.trustAnchors = recorded.trustAnchors.compactMap(KeyTexts.hex)
    configuration.receiptAnchors = recorded.receiptAnchors.compactMap(KeyTexts.hex)
  }

  private static func schema(_ recorded: RecordedSettings) throws(CommandError) -> SchemaFile {
    guard let text = recorded.schemaText else {
      return try SchemaFile.named(
        recorded.schema, origin: "--report", key: "", folder: "", substitution: Substitution())
    }
    return try SchemaFileReader.read(node(text, "schemaText"), name: recorded.schema)
  }

  private static func node(_ text: String, _ member: String) throws(CommandError) -> PipelineNode {
    try YAMLFile.read(text, context: PipelineNode.Context(file: "summary.json: \(member)"))
  }
}
