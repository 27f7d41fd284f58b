import AuditEngine
import AuditLog

/// The keys of schema files, for the reader and for the page on settings.
enum SchemaLanguage {
  /// A key of a mapping.
  struct Key: Sendable {
    let name: String
    /// The message, without a full stop.
    let sentence: String
  }

  /// A mapping of a schema file.
  struct Section: Sendable {
    /// The heading on the page on settings, such as `A rule`.
    let title: String
    let keys: [Key]

    var names: [String] { keys.map(\.name) }
  }

  static let sections = [file, rule, condition, unwrap, field]

  static let file = Section(
    title: "The file",
    keys: [
      Key(name: "version", sentence: "1"),
      Key(name: "name", sentence: "the schema's name in messages"),
      Key(
        name: "replayScope", sentence: "what counts as a replay, if no setting defines it"),
      Key(
        name: "hash", sentence: "how the clientDataHash is formed from client data"),
      Key(
        name: "prefix",
        sentence: "`skip`: ignore text before the JSON of a line, for example the head of a syslog "
          + "message, a time and a level, or a record separator"),
      Key(
        name: "records",
        sentence:
          "a pointer to an array of records, or a list of which the first that is present counts; "
          + "`''` is the line itself. Each element is read like a line. Pointers that begin with "
          + "`^` start at the line"),
      Key(
        name: "headers",
        sentence:
          "pointers to the headers, in any form. Write a header's name after such a pointer; "
          + "its case does not matter"),
      Key(
        name: "unwrap", sentence: "strings that contain an encoded value, and their encoding"),
      Key(
        name: "fields",
        sentence: "fields of all rules; a field of the same name in a rule wins"),
      Key(
        name: "rules",
        sentence: "which lines are read, and how: the first rule that fits reads the line. With "
          + "`{each: true, list: […]}` every rule that fits makes a record"),
      Key(
        name: "tests", sentence: "lines, each with the expected record"),
    ])

  static let rule = Section(
    title: "A rule",
    keys: [
      Key(name: "name", sentence: "the rule's name in messages"),
      Key(
        name: "when", sentence: "the rule fits a line if all of these conditions are true"),
      Key(
        name: "kind", sentence: "the kind of the record, or a pointer to it"),
      Key(
        name: "fields", sentence: "where each field is"),
    ])

  static let condition = Section(
    title: "A condition",
    keys: [
      Key(
        name: "pointer", sentence: "a pointer, or a list of which the first that is present counts"),
      Key(name: "is", sentence: "the value is one of these texts"),
      Key(
        name: "not", sentence: "the value is present, and is none of these texts"),
      Key(
        name: "path",
        sentence: "the value is one of these routes, as lenient routers compare them: `*` is any "
          + "one segment, `**` any number of segments"),
      Key(
        name: "present", sentence: "whether the value is present"),
    ])

  static let unwrap = Section(
    title: "A string to unwrap",
    keys: [
      Key(
        name: "pointer", sentence: "where the string is; pointers of fields can continue into it"),
      Key(
        name: "from",
        sentence: "`base64`, `percent` (signs with two hex digits) or `json` (a string in quotes "
          + "of its own)"),
      Key(
        name: "when",
        sentence: "a pointer to a value that is `true`, `1` or `base64` if the string is wrapped; "
          + "without `when`, it always is"),
    ])

  static let field = Section(
    title: "A field",
    keys: [
      Key(
        name: "pointer",
        sentence:
          "where the value is: a pointer, or a list of which the first that is present counts"),
      Key(
        name: "template", sentence: "text that contains {/pointer}; write {{ and }} for braces"),
      Key(name: "constant", sentence: "always this text"),
      Key(
        name: "encoding", sentence: "how bytes are written"),
      Key(
        name: "absent",
        sentence:
          "`empty`: client data that is absent or null has zero bytes, as in a request without a "
          + "body"),
      Key(
        name: "values", sentence: "a table from texts, or 1xx to 5xx, to words"),
      Key(
        name: "otherwise",
        sentence: "the word for other texts; without it, such a line is record.bad_encoding"),
      Key(
        name: "format",
        sentence: "how a time is written: `rfc3339`, `clf`, `epoch` with a `unit`, or a pattern of "
          + "%Y %m %b %d %e %H %M %S, %I and %p for a 12-hour clock, %f for a fraction with its point "
          + "if there is one, %z, %a, and %* for the rest of the text"),
      Key(
        name: "unit", sentence: "the unit of the number of a time or duration"),
      Key(
        name: "zone",
        sentence: "the zone of times without a zone: a name such as Europe/Vienna, or an offset"),
    ])
}
