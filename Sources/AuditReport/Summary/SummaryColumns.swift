internal import AuditEngine

extension InputRow.Status: NamedValue {}
extension LikelyCause.Cause: NamedValue {}
extension BlindSpot.Spot: NamedValue {}

/// The members of the objects in `summary.json` that are read back.
enum SummaryColumns {
  static let inputs = Columns<InputRow>([
    Column.path("source", "the input", \.source).required,
    .number("bytes", "its bytes on disk", \.bytes),
    .number("decompressedBytes", "its bytes, decompressed", \.decompressedBytes),
    .number("lines", "its lines", \.lines),
    .hex("sha256", "the SHA-256 of the file", \.sha256),
    Column.word("status", "what became of it", \.status).required,
  ])

  static let records = Columns<RecordCounts>([
    .number("lines", "lines read, blank ones too", \.lines),
    .number("blank", "blank lines", \.blank),
    .number("attestations", "attestations", \.attestations),
    .number("assertions", "assertions", \.assertions),
    .number("challenges", "challenges", \.challenges),
    .number("deviceCheckTokens", "DeviceCheck tokens", \.deviceCheckTokens),
    .number("skipped", "lines with nothing to audit", \.skipped),
    .number("unreadable", "lines that are not records", \.unreadable),
    .number("known", "lines that were read before", \.known),
    .number("notAudited", "lines with App Attest tokens that no rule reads", \.notAudited),
    .number("items", "records beyond the first one of each line", \.items),
    .number("ambiguousTimes", "records whose time means one of two instants", \.ambiguousTimes),
  ])

  static let causes = Columns<LikelyCause>([
    Column.word("cause", "the state of the log", \.cause).required,
    .codes("codes", "the codes of the findings that it explains", \.codes, empty: .words([])),
    .number("count", "the lines or records that show it", \.count),
    .text("evidence", "what the log shows", \.evidence),
    .text("action", "what to do", \.action),
    .path("source", "the first input that shows it", \.source),
    .number("line", "the line there", \.knownLine),
  ])

  static let causeInputs = Columns<LikelyCause.Input>([
    Column.word("cause", "the state of the log", \.cause).required,
    .path("source", "an input that shows it", \.source),
    .number("bytes", "the length of its cut lines or client data", \.bytes),
  ])

  static let spots = Columns<BlindSpot>([
    Column.word("spot", "what is missing", \.spot).required,
    .codes("codes", "the codes that cannot appear", \.codes, empty: .words([])),
    .text("evidence", "what is missing, in a sentence", \.evidence),
    .text("action", "what to log", \.action),
  ])

  static let silences = Columns<InputSilence>([
    Column.text("source", "the file before the silence", \.source).required,
    Column.time("from", "the first silent hour", \.from).required,
    Column.time("to", "the first hour after it", \.to).required,
    Column.number("usualRecords", "the records of an hour that is not silent", \.usual).required,
  ])

  static let settings = Columns<RecordedSettings>([
    Column.text("folder", "the folder of relative paths", \.folder).required,
    Column.text("schema", "the schema's name", \.schema).required,
    .of(.text, "schemaText", "its YAML", optional: \.schemaText, { .text($0) }, { $0 }),
    Column.words("trustAnchors", "certificates, DER in hex", \.trustAnchors, empty: .words([]))
      .required,
    Column.words("receiptAnchors", "certificates, DER in hex", \.receiptAnchors, empty: .words([]))
      .required,
    .of(.text, "keys", "the list of known keys", optional: \.keys, { .text($0) }, { $0 }),
    .number("knownKeys", "the number of keys in it", \.knownKeys),
    .of(.text, "state", "the state directory", optional: \.state, { .text($0) }, { $0 }),
  ])
}

extension LikelyCause {
  fileprivate var knownLine: UInt64? {
    get { line == 0 ? nil : line }
    set { line = newValue ?? 0 }
  }
}
