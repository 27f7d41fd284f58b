import AuditEngine
import AuditLog
import AuditSettings
import LogDiscovery

/// The `schema:` section of a pipeline file, with the evidence for each field as comments.
struct SchemaSection {
  let draft: SchemaDraft
  let sample: LogSample

  var lines: [String] {
    if draft.isDefault { return defaultLines }
    guard draft.completeRules.isEmpty else { return mappedLines }
    // Nothing of the log can be read, and no other schema is tried instead.
    return ["# Not enough was found to read the log by. Complete this start:", "schema: {}"]
      + mappedLines.dropFirst(2).map { "#" + $0 }
  }

  private var defaultLines: [String] {
    let comment = "# Every field is where the default schema expects it."
    guard let schema = draft.schema(of: sample), schema.skipsPrefix else {
      return [comment, "schema: default"]
    }
    return [comment, "schema:"]
      + SchemaWriter(schema, replayScope: nil).lines.map { "  " + $0 }
  }

  private var mappedLines: [String] {
    let complete = draft.completeRules
    let rules = complete.isEmpty ? draft.rules : complete
    var writer = writer(rules)
    // Rules that are not complete follow as comments.
    let others = draft.rules.filter { rule in !rules.contains { $0.name == rule.name } }
    writer.comments[.rules] = others.flatMap { rule -> [String] in
      let lines = self.writer([rule]).lines
      return ["\(rule.role.plural) lack something that a rule needs:"]
        + lines.drop { $0 != "rules:" }.dropFirst().map { String($0.dropFirst(2)) }
    }
    return [
      "# How a line of the log becomes a record. A pointer can go through strings that contain JSON.",
      "schema:",
    ] + writer.lines.map { "  " + $0 }
  }

  private func writer(_ rules: [RuleDraft]) -> SchemaWriter {
    let replays = draft.replays
    var schema = draft.schema(rules, of: sample)
    schema.records = sample.records.map { [$0] } ?? []
    var writer = SchemaWriter(
      schema, replayScope: replays.isExact ? .exact : .global,
      shared: Set(draft.shared.map(\.field)))
    writer.comments = [
      .replayScope: [replays.reason]
        + (replays.isDoubtful ? ["left out: replayScope: exact, which fewer than half need"] : []),
      .hash: ["client data are the clientDataHash itself"],
      .prefix: ["text precedes the JSON of each line"],
      .records: ["each element is a record"], .each: ["a line can contain tokens of both kinds"],
      .headers: ["header names are compared without case"],
      .unwrap: ["strings that encode others"],
    ]
    for note in draft.shared { add(note, rule: nil, to: &writer) }
    writer.comments[.fields(rule: nil), default: []] += draft.missing.map { "not found: \($0)" }
    for (index, rule) in rules.enumerated() {
      for note in rule.notes { add(note, rule: index, to: &writer) }
      writer.comments[.fields(rule: index), default: []] += rule.missing.map { "not found: \($0)" }
    }
    return writer
  }

  private func add(_ note: FieldNote, rule: Int?, to writer: inout SchemaWriter) {
    if note.isActive {
      writer.comments[.field(note.field, rule: rule), default: []].append(note.evidence)
    } else {
      writer.comments[.fields(rule: rule), default: []] += [
        note.evidence, "perhaps: " + SchemaWriter.text(note.field, note.mapping),
      ]
    }
  }
}
