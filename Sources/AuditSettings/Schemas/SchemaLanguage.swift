import AuditEngine
import AuditLog

/// The keys of schema files, for the reader, for editors, and for the page on settings.
enum SchemaLanguage {
  /// A key of a mapping.
  struct Key: Sendable {
    let name: String
    /// The message, without a full stop.
    let sentence: String
    /// The JSON Schema of its value.
    let schema: JSONValue
  }

  /// A mapping of a schema file.
  struct Section: Sendable {
    /// The heading on the page on settings, such as `A rule`.
    let title: String
    let keys: [Key]

    var names: [String] { keys.map(\.name) }

    /// The keys as the properties of a JSON Schema, each with its sentence as the description.
    var properties: JSONValue {
      .object(keys.map { ($0.name, $0.schema.adding("description", .string($0.sentence))) })
    }
  }

  static let sections = [file, rule, condition, unwrap, field]

  static let file = Section(
    title: "The file",
    keys: [
      Key(name: "version", sentence: "1", schema: .object([("const", 1)])),
      Key(name: "name", sentence: "the schema's name in messages", schema: text),
      Key(
        name: "replayScope", sentence: "what counts as a replay, where no setting says it",
        schema: words(ReplayScope.allCases.map(\.rawValue))),
      Key(
        name: "hash", sentence: "how the clientDataHash is formed from client data",
        schema: words(LogSchema.HashFormation.allCases.map(\.rawValue))),
      Key(
        name: "prefix",
        sentence: "`skip`: what stands in front of a line's JSON is passed over, such as the head "
          + "of a syslog message, a time and a level, or a record separator",
        schema: words(["skip"])),
      Key(
        name: "records",
        sentence:
          "where an array of records is in a line, of a list the first that is present; `''` is "
          + "the line itself. Each element is read as a line would be; pointers that begin with `^` "
          + "start at the line", schema: .reference("#/$defs/records")),
      Key(
        name: "headers",
        sentence: "where headers stand, in whatever form: pointers name a header behind them, and "
          + "names compare without case", schema: .reference("#/$defs/pointers")),
      Key(
        name: "unwrap", sentence: "strings that stand for others, and how these are written",
        schema: list(.reference("#/$defs/unwrap"))),
      Key(
        name: "fields",
        sentence: "shared by all rules; a rule's own field of the same name replaces it",
        schema: .reference("#/$defs/fields")),
      Key(
        name: "rules",
        sentence: "what lines are read, and how: the one that fits reads a line; as "
          + "`{each: true, list: […]}` every rule that fits makes a record",
        schema: .reference("#/$defs/rules")),
      Key(
        name: "tests", sentence: "lines, and what each has to be read as",
        schema: .reference("#/$defs/tests")),
    ])

  static let rule = Section(
    title: "A rule",
    keys: [
      Key(name: "name", sentence: "the rule's name in messages", schema: text),
      Key(
        name: "when", sentence: "conditions that all hold for a line of the rule",
        schema: list(.reference("#/$defs/condition"))),
      Key(
        name: "kind", sentence: "what a line is, or where it says so",
        schema: any(words(SchemaRuleReader.kinds.map(\.name)), .reference("#/$defs/kindField"))),
      Key(
        name: "fields", sentence: "where the fields stand", schema: .reference("#/$defs/fields")),
    ])

  static let condition = Section(
    title: "A condition",
    keys: [
      Key(
        name: "pointer", sentence: "where it looks; of a list the first that is present counts",
        schema: .reference("#/$defs/pointers")),
      Key(name: "is", sentence: "one of these texts stands there", schema: scalars),
      Key(
        name: "not", sentence: "something stands there, and none of these texts", schema: scalars),
      Key(
        name: "path",
        sentence: "one of these routes stands there, as lenient routers compare them: `*` is any "
          + "one segment, `**` any number of them",
        schema: any(.reference("#/$defs/route"), list(.reference("#/$defs/route")))),
      Key(
        name: "present", sentence: "whether something stands there",
        schema: .object([("type", "boolean")])),
    ])

  static let unwrap = Section(
    title: "A string to unwrap",
    keys: [
      Key(
        name: "pointer", sentence: "where it stands; pointers of fields may go on behind it",
        schema: .reference("#/$defs/pointer")),
      Key(
        name: "from",
        sentence: "`base64`, `percent` (signs with two hex digits) or `json` (a string in quotes "
          + "of its own)", schema: words(SchemaWrapping.Form.allCases.map(\.rawValue))),
      Key(
        name: "when",
        sentence: "a pointer to what says whether the string is wrapped: `true`, `1` or `base64`; "
          + "without it, it always is", schema: .reference("#/$defs/pointer")),
    ])

  static let field = Section(
    title: "A field",
    keys: [
      Key(
        name: "pointer",
        sentence: "where the value stands; of a list the first that is present counts",
        schema: .reference("#/$defs/pointers")),
      Key(
        name: "template", sentence: "text with {/pointer} in it; {{ and }} are braces",
        schema: .object([("type", "string"), ("pattern", "\\{\\^?/[^}]*\\}")])),
      Key(name: "constant", sentence: "always this text", schema: scalar),
      Key(
        name: "encoding", sentence: "how bytes are written",
        schema: words(FieldEncoding.allCases.map(\.rawValue))),
      Key(
        name: "absent",
        sentence:
          "`empty`: client data that is absent or null has zero bytes, as a request without a "
          + "body has", schema: words(["empty"])),
      Key(
        name: "values", sentence: "from a value's text, or 1xx to 5xx, to a word",
        schema: .object([("type", "object"), ("minProperties", 1)])),
      Key(
        name: "otherwise",
        sentence: "the word for what is not listed; without it such a line is record.bad_encoding",
        schema: text),
      Key(
        name: "format",
        sentence: "how a time is written: `rfc3339`, `clf`, `epoch` with a `unit`, or a pattern of "
          + "%Y %m %b %d %e %H %M %S, %I and %p for a 12-hour clock, %f for a fraction with its point "
          + "where there is one, %z, %a, and %* for all that follows",
        schema: any(
          words(TimeFormReader.words.map(\.0)), .object([("type", "string"), ("pattern", "%Y")]))),
      Key(
        name: "unit", sentence: "what the number of a time or duration counts",
        schema: words(TimeUnit.allCases.map(\.rawValue))),
      Key(
        name: "zone",
        sentence: "where times that carry no zone were taken: a name such as Europe/Vienna, or an "
          + "offset", schema: text),
    ])

  // MARK: Shapes

  static let text = JSONValue.object([("type", "string"), ("minLength", 1)])
  static let scalar = JSONValue.object([("type", .array(["string", "number", "boolean"]))])
  static let scalars = any(scalar, list(scalar))

  static func words(_ words: [String]) -> JSONValue {
    .object([("enum", .array(words.map { .string($0) }))])
  }

  static func list(_ items: JSONValue) -> JSONValue {
    .object([("type", "array"), ("minItems", 1), ("items", items)])
  }

  static func any(_ schemas: JSONValue...) -> JSONValue { .object([("anyOf", .array(schemas))]) }
}
