import AuditEngine
import AuditLog
package import AuditReport
import Files

/// A report records the table of settings, walked. The same table reads the record back.
extension RunSettings {
  /// The settings that `summary.json` keeps.
  package var recorded: RecordedSettings {
    let values = SettingTable.all.compactMap { setting in
      setting.recorded(in: self).map { (setting.name, $0) }
    }
    return RecordedSettings(
      folder: PathText.currentFolder, schema: configuration.schema.name, schemaText: schemaText,
      trustAnchors: configuration.trustAnchors, receiptAnchors: configuration.receiptAnchors,
      keys: keysFile, knownKeys: configuration.knownKeys.count, state: state?.dir,
      values: .members(values.map(\.0), values.map(\.1)))
  }

  /// Makes the settings of a run from those that its report keeps. Keys that were known before are not
  /// among them.
  package init(
    _ recorded: RecordedSettings, environment: [String: String]
  ) throws(CommandError) {
    var layer = SettingsLayer()
    layer.schema = try Self.schema(recorded)
    let settings = SettingTable.all.filter(\.decides)
    let members = try Self.node(recorded.valuesText, "values")?.members(settings.map(\.name)) ?? [:]
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
        recorded.schema, origin: "--report", key: "", folder: "",
        substitution: Substitution(date: "", environment: [:]))
    }
    guard let root = try node(text, "schemaText") else {
      throw CommandError(.invalidFile, "the report's schema is empty")
    }
    return try SchemaFileReader.read(root, name: recorded.schema)
  }

  private static func node(_ text: String, _ member: String) throws(CommandError) -> PipelineNode? {
    try YAMLFile.read(
      text,
      context: PipelineNode.Context(
        file: "summary.json: \(member)",
        substitution: Substitution(date: "", environment: [:])))
  }
}
