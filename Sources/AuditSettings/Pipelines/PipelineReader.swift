/// A reader of a pipeline file by the table of settings.
struct PipelineReader {
  let folder: SettingsFolder

  func read(_ root: PipelineNode) throws(CommandError) -> SettingsLayer {
    var layer = SettingsLayer()
    let sections = PipelineSection.all
    let members = try root.members(sections.map(\.name), elsewhere: Self.place)
    for section in sections {
      guard let node = members[section.name] else { continue }
      switch section.content {
      case .setting(let setting): try setting.read(node, in: folder, into: &layer)
      case .settings(let settings):
        let values = try node.members(settings.map(\.name), elsewhere: Self.place)
        for (name, setting) in settings {
          if let value = values[name] { try setting.read(value, in: folder, into: &layer) }
        }
      }
    }
    return layer
  }

  /// Returns the place of a setting that belongs in another section, such as `limits.memory`.
  private static func place(of key: String) -> String? {
    SettingTable.all.compactMap(\.path).first { $0.hasSuffix(".\(key)") || $0 == key }
  }
}
