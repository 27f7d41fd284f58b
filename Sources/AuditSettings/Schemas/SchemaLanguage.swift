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
        name: "replayScope", sentence: "what counts as a replay, where no setting says it"),
      Key(
        name: "hash", sentence: "how the clientDataHash is formed from client data"),
      Key(
        name: "prefix",
        sentence: "`skip`: what stands in front of a line's JSON is passed over, such as the head "
          + "of a syslog message, a time and a level, or a record separator"),
      Key(
        name: "records",
        sentence:
          "where an array of records is in a line, of a list the first that is present; `''` is "
          + "the line itself. Each element is read as a line would be; pointers that begin with `^` "
          + "start at the line"),
      Key(
        name: "headers",
        sentence: "where headers stand, in whatever form: pointers name a header behind them, and "
          + "names compare without case"),
      Key(
        name: "unwrap", sentence: "strings that stand for others, and how these are written"),
      Key(
        name: "fields",
        sentence: "shared by all rules; a rule's own field of the same name replaces it"),
      Key(
        name: "rules",
        sentence: "what lines are read, and how: the one that fits reads a line; as "
          + "`{each: true, list: […]}` every rule that fits makes a record"),
      Key(
        name: "tests", sentence: "lines, and what each has to be read as"),
    ])

  static let rule = Section(
    title: "A rule",
    keys: [
      Key(name: "name", sentence: "the rule's name in messages"),
      Key(
        name: "when", sentence: "conditions that all hold for a line of the rule"),
      Key(
        name: "kind", sentence: "what a line is, or where it says so"),
      Key(
        name: "fields", sentence: "where the fields stand"),
    ])

  static let condition = Section(
    title: "A condition",
    keys: [
      Key(
        name: "pointer", sentence: "where it looks; of a list the first that is present counts"),
      Key(name: "is", sentence: "one of these texts stands there"),
      Key(
        name: "not", sentence: "something stands there, and none of these texts"),
      Key(
        name: "path",
        sentence: "one of these routes stands there, as lenient routers compare them: `*` is any "
          + "one segment, `**` any number of them"),
      Key(
        name: "present", sentence: "whether something stands there"),
    ])

  static let unwrap = Section(
    title: "A string to unwrap",
    keys: [
      Key(
        name: "pointer", sentence: "where it stands; pointers of fields may go on behind it"),
      Key(
        name: "from",
        sentence: "`base64`, `percent` (signs with two hex digits) or `json` (a string in quotes "
          + "of its own)"),
      Key(
        name: "when",
        sentence: "a pointer to what says whether the string is wrapped: `true`, `1` or `base64`; "
          + "without it, it always is"),
    ])

  static let field = Section(
    title: "A field",
    keys: [
      Key(
        name: "pointer",
        sentence: "where the value stands; of a list the first that is present counts"),
      Key(
        name: "template", sentence: "text with {/pointer} in it; {{ and }} are braces"),
      Key(name: "constant", sentence: "always this text"),
      Key(
        name: "encoding", sentence: "how bytes are written"),
      Key(
        name: "absent",
        sentence:
          "`empty`: client data that is absent or null has zero bytes, as a request without a "
          + "body has"),
      Key(
        name: "values", sentence: "from a value's text, or 1xx to 5xx, to a word"),
      Key(
        name: "otherwise",
        sentence: "the word for what is not listed; without it such a line is record.bad_encoding"),
      Key(
        name: "format",
        sentence: "how a time is written: `rfc3339`, `clf`, `epoch` with a `unit`, or a pattern of "
          + "%Y %m %b %d %e %H %M %S, %I and %p for a 12-hour clock, %f for a fraction with its point "
          + "where there is one, %z, %a, and %* for all that follows"),
      Key(
        name: "unit", sentence: "what the number of a time or duration counts"),
      Key(
        name: "zone",
        sentence: "where times that carry no zone were taken: a name such as Europe/Vienna, or an "
          + "offset"),
    ])
}
