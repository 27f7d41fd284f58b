/// A reader of a pipeline file by the table of settings.
struct PipelineReader {
  let folder: SettingsFolder

  func read(_ root: PipelineNode) throws(CommandError) -> SettingsLayer {
    var layer = SettingsLayer()
    let sections = PipelineSection.all
    var mistakes = Mistakes()
    func read(_ setting: any AnySetting, _ node: PipelineNode) {
      _ = mistakes.attempt { () throws(CommandError) in
        try setting.read(node, in: folder, into: &layer)
      }
    }
    let members = root.members(sections.map(\.name), elsewhere: Self.place, &mistakes)
    for section in sections {
      guard let node = members[section.name] else { continue }
      switch section.content {
      case .setting(let setting): read(setting, node)
      case .settings(let settings):
        let values = node.members(settings.map(\.name), elsewhere: Self.place, &mistakes)
        for (name, setting) in settings {
          if let value = values[name] { read(setting, value) }
        }
      }
    }
    try mistakes.check()
    return layer
  }

  /// Returns the place of a setting that belongs in another section, such as `limits.memory`.
  private static func place(of key: String) -> String? {
    SettingTable.all.compactMap(\.path).first { $0.hasSuffix(".\(key)") || $0 == key }
  }
}
