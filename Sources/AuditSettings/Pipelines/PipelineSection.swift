/// A key at the top of a pipeline file.
struct PipelineSection {
  /// The value under the key.
  enum Content {
    case setting(any AnySetting)
    /// The settings of a section by their keys.
    case settings([(name: String, setting: any AnySetting)])
  }

  let name: String
  let content: Content

  /// All sections, in the order of the table.
  static var all: [PipelineSection] {
    var sections: [PipelineSection] = []
    for setting in SettingTable.all {
      guard let path = setting.path else { continue }
      let parts = path.split(separator: ".", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        sections.append(PipelineSection(name: path, content: .setting(setting)))
        continue
      }
      let member = (name: parts[1], setting: setting)
      if let index = sections.firstIndex(where: { $0.name == parts[0] }),
        case .settings(let others) = sections[index].content
      {
        sections[index] = PipelineSection(name: parts[0], content: .settings(others + [member]))
      } else {
        sections.append(PipelineSection(name: parts[0], content: .settings([member])))
      }
    }
    return sections
  }
}
