/// The JSON Schema of pipeline files, for editors. It is made from the table of settings.
package enum PipelineSchema {
  /// The text of the file `pipeline.schema.json`, with a newline at its end.
  package static var text: String { schema.text + "\n" }

  private static var schema: JSONValue {
    .object([
      ("$schema", "https://json-schema.org/draft/2020-12/schema"),
      ("title", "Pipeline file of attest-audit"),
      (
        "description",
        """
        YAML. Every key may be left out; flags win. Paths are relative to the file. ${date} and \
        environment variables ${NAME} are filled in.
        """
      ),
      ("type", "object"), ("additionalProperties", false),
      ("properties", .object(PipelineSection.all.map { ($0.name, schema(of: $0)) })),
      ("$defs", definitions),
    ])
  }

  private static func schema(of section: PipelineSection) -> JSONValue {
    switch section.content {
    case .setting(let setting): setting.schema
    case .settings(let settings):
      .object([
        ("type", "object"), ("additionalProperties", false),
        ("properties", .object(settings.map { ($0.name, $0.setting.schema) })),
      ])
    }
  }

  private static var definitions: JSONValue {
    .object([
      (
        "substituted",
        .object([
          ("type", "string"), ("pattern", "\\$\\{(date|[A-Za-z_][A-Za-z0-9_]*)\\}"),
          ("description", "a text with ${NAME} in it, which is filled in first"),
        ])
      ),
      ("path", .object([("type", "string"), ("minLength", 1)])),
      (
        "duration",
        ValueShape.orSubstituted(
          .object([("type", "string"), ("pattern", "^[0-9]+(ms|s|m|h|d)$")])
        ).adding("description", "30s, 5m, 1d")
      ),
      (
        "size",
        ValueShape.orSubstituted(
          .object([("type", "integer"), ("minimum", 0)]),
          .object([("type", "string"), ("pattern", "^[0-9]+(KiB|MiB|GiB|TiB)?$")])
        ).adding("description", "64MiB, 1GiB, or bytes")
      ),
      ("severity", SettingFormat.severity.shape.schema),
    ])
  }
}
