import AuditLog

/// The JSON Schema of schema files, for editors. It is made from the table of their keys.
package enum SchemaFileSchema {
  /// The text of the file `schema.schema.json`, with a newline at its end.
  package static var text: String {
    JSONValue.object([
      ("$schema", "https://json-schema.org/draft/2020-12/schema"),
      ("title", "Schema file of attest-audit"),
      ("description", "YAML. Maps the lines of a JSON log onto the fields of an audit."),
      ("type", "object"), ("additionalProperties", false), ("required", .array(["rules"])),
      ("properties", SchemaLanguage.file.properties), ("$defs", definitions),
    ]).text + "\n"
  }

  private static var definitions: JSONValue {
    .object(
      [
        ("pointer", pointer), ("pointers", pointers), ("route", route),
        ("fields", mapping(LogField.allCases.map { ($0.name, field($0)) })),
        ("kindField", field(.kind)),
        ("rule", mapping(SchemaLanguage.rule.properties)), ("rules", rules), ("records", records),
        (
          "condition",
          mapping(SchemaLanguage.condition.properties, required: ["pointer"]).adding(
            "oneOf", one(["is", "not", "path", "present"]))
        ),
        ("unwrap", mapping(SchemaLanguage.unwrap.properties, required: ["pointer", "from"])),
      ] + SchemaTestSchema.definitions)
  }

  private static let pointer = JSONValue.object([
    ("type", "string"), ("pattern", "^\\^?(/[^/~]*(~[01][^/~]*)*){1,16}$"),
    (
      "description",
      .string(
        "a JSON Pointer (RFC 6901), 16 levels at most; it can go through strings that contain JSON. In a "
          + "schema with records, one that begins with ^ starts at the line")
    ),
  ])

  private static let pointers = SchemaLanguage.any(
    .reference("#/$defs/pointer"),
    SchemaLanguage.list(.reference("#/$defs/pointer")).adding("uniqueItems", true)
  ).adding("description", "the first that is present wins")

  private static let rules = SchemaLanguage.any(
    SchemaLanguage.list(.reference("#/$defs/rule")),
    mapping(
      [
        ("each", .object([("type", "boolean")])),
        ("list", SchemaLanguage.list(.reference("#/$defs/rule"))),
      ], required: ["list"]))

  private static let arrayPointer = SchemaLanguage.any(
    .reference("#/$defs/pointer"), .object([("const", "")]))

  private static let records = SchemaLanguage.any(
    arrayPointer, SchemaLanguage.list(arrayPointer).adding("uniqueItems", true))

  private static let route = JSONValue.object([
    ("type", "string"), ("pattern", "^(/+(\\*{1,2}|[^/?#*]*))+$"),
    ("description", "* is any one segment, ** any number of them"),
  ])

  /// Returns the schema of a field's value: pointers, or a mapping with the members that the field
  /// may have.
  private static func field(_ field: LogField) -> JSONValue {
    let sources = FieldMappingReader.sources(of: field)
    let names = sources + FieldMappingReader.details(of: field)
    let properties = SchemaLanguage.field.keys.filter { names.contains($0.name) }.map { key in
      (key.name, Self.schema(key, field).adding("description", .string(key.sentence)))
    }
    var form = mapping(properties, required: sources.count == 1 ? sources : [])
    if sources.count > 1 { form = form.adding("oneOf", one(sources)) }
    var needs: [(String, JSONValue)] = []
    for name in ["encoding", "values"] where names.contains(name) {
      needs.append((name, .array(["pointer"])))
    }
    if names.contains("otherwise") { needs.append(("otherwise", .array(["values"]))) }
    if !needs.isEmpty { form = form.adding("dependentRequired", .object(needs)) }
    return SchemaLanguage.any(.reference("#/$defs/pointers"), form)
  }

  private static func schema(_ key: SchemaLanguage.Key, _ field: LogField) -> JSONValue {
    switch key.name {
    case "encoding":
      SchemaLanguage.words(FieldMappingReader.encodings(of: field).map(\.rawValue))
    case "values":
      key.schema.adding(
        "additionalProperties", SchemaLanguage.words(FieldMappingReader.words(of: field)))
    case "otherwise": SchemaLanguage.words(FieldMappingReader.words(of: field))
    case "unit" where field == .duration:
      SchemaLanguage.words(FieldMappingReader.durationUnits.map(\.rawValue))
    case "constant" where field == .decision: SchemaLanguage.words(["accepted", "rejected"])
    default: key.schema
    }
  }

  static func mapping(_ properties: [(String, JSONValue)], required: [String] = []) -> JSONValue {
    mapping(.object(properties), required: required)
  }

  static func mapping(_ properties: JSONValue, required: [String] = []) -> JSONValue {
    let mapping = JSONValue.object([("type", "object"), ("additionalProperties", false)])
    return
      (required.isEmpty
      ? mapping : mapping.adding("required", .array(required.map { .string($0) })))
      .adding("properties", properties)
  }

  private static func one(_ names: [String]) -> JSONValue {
    .array(names.map { .object([("required", .array([.string($0)]))]) })
  }
}
