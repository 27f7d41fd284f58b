/// A pipeline file in YAML, read by the table of settings. Every key may be left out.
package enum PipelineFile {
  /// Returns the settings of the file. Its paths are relative to its folder.
  package static func read(
    _ path: NamedPath, substitution: Substitution
  ) throws(CommandError) -> SettingsLayer {
    try read(YAMLFile.read(path, substitution: substitution), path)
  }

  package static func read(
    _ root: PipelineNode, _ path: NamedPath
  ) throws(CommandError) -> SettingsLayer {
    var layer = SettingsLayer()
    let folder = SettingsFolder(ofFile: path.path)
    let all = SettingTable.all.compactMap { setting in
      setting.path.map { (keys: $0.split(separator: ".").map(String.init), setting) }
    }
    var mistakes = Mistakes()
    let names = all.map { $0.keys[0] }.reduce(into: [String]()) {
      if !$0.contains($1) { $0.append($1) }
    }
    let members = root.members(names, elsewhere: place, &mistakes)
    for name in names {
      guard let node = members[name] else { continue }
      let settings = all.filter { $0.keys[0] == name }
      let values =
        settings[0].keys.count == 1
        ? [name: node]
        : node.members(settings.map { $0.keys[1] }, elsewhere: place, &mistakes)
      for (keys, setting) in settings {
        guard let value = keys.last.flatMap({ values[$0] }) else { continue }
        _ = mistakes.attempt { () throws(CommandError) in
          try setting.read(value, in: folder, into: &layer)
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
