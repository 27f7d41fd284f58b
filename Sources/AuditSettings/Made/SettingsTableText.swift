/// The table of settings as the documentation shows it.
package enum SettingsTableText {
  /// Markdown: a heading and a table for each topic.
  package static var markdown: String {
    SettingTopic.allCases.map { topic in
      let rows = SettingTable.all.filter { $0.topic == topic }.map(row)
      return """
        ## \(topic.title)

        | flag | pipeline file | value | default | what it does |
        |---|---|---|---|---|
        \(rows.joined(separator: "\n"))

        """
    }.joined(separator: "\n")
  }

  private static func row(_ setting: any AnySetting) -> String {
    let flag = setting.flag.map { flag in
      "`\(flag.name)" + (flag.valueName.map { " <\($0)>" } ?? "") + "`"
        + (flag.isRepeatable ? " …" : "")
    }
    let cells = [
      flag ?? "", setting.path.map { "`\($0)`" } ?? "", setting.range, setting.standardText,
      setting.sentence,
    ]
    return "| " + cells.map { $0.replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
  }
}
