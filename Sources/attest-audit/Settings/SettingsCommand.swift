import ArgumentParser
import AuditSettings

/// `attest-audit settings`: prints the table of settings, for writers of documentation and editors.
struct SettingsCommand: ParsableCommand {
  /// The products of the table.
  enum Form: String, ExpressibleByArgument, CaseIterable {
    case markdown
    case jsonSchema = "json-schema"
    case fileSchema = "schema-file-schema"
  }

  static let configuration = CommandConfiguration(
    commandName: "settings",
    abstract: "Prints the table of settings, or the JSON Schema of pipeline or schema files.",
    shouldDisplay: false)

  @Option(help: "markdown, json-schema or schema-file-schema.")
  var format = Form.markdown

  func run() throws {
    switch format {
    case .markdown: Console.print(SettingsTableText.markdown)
    case .jsonSchema: Console.print(PipelineSchema.text)
    case .fileSchema: Console.print(SchemaFileSchema.text)
    }
  }
}
