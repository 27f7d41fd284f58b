/// The table of settings in the form of the documentation.
package enum SettingsTableText {
  /// A page in Markdown: a heading and a table for each topic.
  package static var markdown: String {
    introduction + "\n\n" + sections.joined(separator: "\n") + "\n" + SchemaLanguage.page
  }

  private static let introduction = """
    # Settings

    Look up every flag of `attest-audit audit` and every key of a pipeline file.

    ## Overview

    A flag wins over the pipeline file. A key that is not listed here is an error. The error names \
    its line and the nearest right name. Paths in a pipeline file are relative to that file. \
    `${date}` is replaced by a day, and `${LOGS}` by the environment variable LOGS. Write durations \
    as `30s`, `5m`, `12h` or `1d`, and sizes as `64MiB` or `1GiB`. `attest-audit check FILE` prints \
    all settings of a file. `pipelines/schemas/json` has JSON Schemas for editors.
    """

  private static var sections: [String] {
    SettingTopic.allCases.map { topic in
      let rows = SettingTable.all.filter { $0.topic == topic }.map(row)
      return """
        ## \(topic.title)

        | flag | pipeline file | value | default | what it does |
        |---|---|---|---|---|
        \(rows.joined(separator: "\n"))

        """
    }
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
