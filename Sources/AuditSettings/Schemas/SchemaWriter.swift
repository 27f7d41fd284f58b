package import AuditEngine
package import AuditLog
import Basics

/// A writer of schemas in the language of schema files. Reading its text gives the same schema.
package struct SchemaWriter {
  package enum Place: Hashable {
    case replayScope, hash, prefix, records, headers, unwrap, each
    /// Before a field of the rule of an index, or of all rules.
    case field(LogField, rule: Int?)
    /// After the fields of the rule of an index, or of all rules.
    case fields(rule: Int?)
    case rules
  }

  /// The comments, a line each.
  package var comments: [Place: [String]] = [:]
  private let schema: LogSchema
  private let replayScope: ReplayScope?
  /// The fields that all rules have in common, and that are written once.
  private let shared: [LogField]

  /// Makes a writer that writes the fields `shared` once, or if nil those that are the same in all rules.
  package init(_ schema: LogSchema, replayScope: ReplayScope?, shared: Set<LogField>? = nil) {
    self.schema = schema
    self.replayScope = replayScope
    let first = schema.rules.first?.fields ?? [:]
    self.shared = LogField.allCases.filter { field in
      field != .kind && first[field] != nil && shared?.contains(field) ?? (schema.rules.count > 1)
        && schema.rules.allSatisfy { $0.fields[field] == first[field] }
    }
  }

  package var lines: [String] {
    var lines: [String] = []
    func add(_ place: Place, _ key: String, _ value: String?) {
      guard let value else { return }
      lines += comment(place) + ["\(key): \(value)"]
    }
    add(.replayScope, "replayScope", replayScope?.rawValue)
    add(.hash, "hash", schema.formation == .sha256 ? nil : schema.formation.rawValue)
    add(.prefix, "prefix", schema.skipsPrefix ? "skip" : nil)
    let records = schema.records.map { YAMLText.scalar($0?.text ?? "") }
    add(
      .records, "records",
      records.count > 1 ? "[\(records.joined(separator: ", "))]" : records.first)
    let headers = schema.headers.map { YAMLText.scalar($0.text) }
    add(.headers, "headers", headers.isEmpty ? nil : "[\(headers.joined(separator: ", "))]")
    if !schema.wrappings.isEmpty {
      lines += comment(.unwrap) + ["unwrap:"] + schema.wrappings.map { "  - \(Self.text($0))" }
    }
    let fields = fields(schema.rules.first?.fields ?? [:], rule: nil)
    if !fields.isEmpty { lines += ["fields:"] + fields.map { "  " + $0 } }
    let rules = schema.rules.indices.flatMap(rule) + comment(.rules)
    guard schema.usesEachRule else { return lines + ["rules:"] + rules.map { "  " + $0 } }
    return lines + comment(.each) + ["rules:", "  each: true", "  list:"]
      + rules.map { "    " + $0 }
  }

  /// Returns the lines of a rule, the first of which begins with a dash.
  private func rule(_ index: Int) -> [String] {
    let rule = schema.rules[index]
    var lines = ["name: \(YAMLText.scalar(rule.name))"]
    if !rule.conditions.isEmpty {
      lines += ["when:"] + rule.conditions.map { "  - \(Self.text($0))" }
    }
    switch rule.kind {
    case .fixed(let kind): lines.append("kind: \(kind.name)")
    case .deviceCheckToken: lines.append("kind: deviceCheckToken")
    case .mapped: if let kind = rule.fields[.kind] { lines.append("kind: \(Self.mapping(kind))") }
    case .inferred: break
    }
    var own = rule.fields
    for field in shared { own[field] = nil }
    if rule.kind == .mapped { own[.kind] = nil }
    let fields = fields(own, rule: index)
    if !fields.isEmpty { lines += ["fields:"] + fields.map { "  " + $0 } }
    return lines.enumerated().map { ($0.offset == 0 ? "- " : "  ") + $0.element }
  }

  private func fields(_ fields: [LogField: FieldMapping], rule: Int?) -> [String] {
    let names = rule == nil ? shared : LogField.allCases.filter { fields[$0] != nil }
    return names.flatMap { field in
      comment(.field(field, rule: rule))
        + [Self.text(field, fields[field] ?? FieldMapping(.pointers([])))]
    } + comment(.fields(rule: rule))
  }

  private func comment(_ place: Place) -> [String] {
    (comments[place] ?? []).map { "# " + YAMLText.comment($0) }
  }

  // MARK: Parts

  /// Returns a field with its name: `time: /ts`.
  package static func text(_ field: LogField, _ mapping: FieldMapping) -> String {
    // A kind that is named by a text alone would be the kind itself.
    "\(field.name): \(self.mapping(mapping))"
  }

  private static func mapping(_ mapping: FieldMapping) -> String {
    var members: [(String, String)] = []
    switch mapping.source {
    case .pointers(let pointers): members.append(("pointer", list(pointers)))
    case .template(let parts): members.append(("template", YAMLText.quoted(text(parts))))
    case .constant(let text): members.append(("constant", YAMLText.quoted(text)))
    }
    if let encoding = mapping.encoding { members.append(("encoding", encoding.rawValue)) }
    if let table = mapping.values {
      let words = table.entries.map { "\(YAMLText.scalar($0.value)): \($0.word)" }
      members.append(("values", "{\(words.joined(separator: ", "))}"))
      if let word = table.otherwise { members.append(("otherwise", word)) }
    }
    if mapping.isEmptyIfAbsent { members.append(("absent", "empty")) }
    members += form(mapping.time)
    if case .pointers(let pointers) = mapping.source, members.count == 1 { return list(pointers) }
    return "{" + members.map { "\($0.0): \($0.1)" }.joined(separator: ", ") + "}"
  }

  private static func form(_ form: TimeForm) -> [(String, String)] {
    var members: [(String, String)] = []
    if let pattern = form.pattern {
      members.append(("format", pattern == .clf ? "clf" : YAMLText.quoted(pattern.text)))
    } else if form.unit == .rfc3339 {
      members.append(("format", "rfc3339"))
    } else if let unit = form.unit {
      members.append(("unit", unit.rawValue))
    }
    if let zone = form.zone { members.append(("zone", YAMLText.scalar(zone.name))) }
    return members
  }

  /// Returns a condition: `{pointer: /event, is: enrol}`.
  package static func text(_ condition: SchemaCondition) -> String {
    let test =
      switch condition.test {
      case .isOne(let texts): "is: \(list(texts))"
      case .isNone(let texts): "not: \(list(texts))"
      case .isPath(let routes): "path: \(list(routes.map(\.text)))"
      case .isPresent(let isPresent): "present: \(isPresent)"
      }
    return "{pointer: \(list(condition.pointers)), \(test)}"
  }

  private static func text(_ wrapping: SchemaWrapping) -> String {
    "{pointer: \(YAMLText.scalar(wrapping.pointer.text)), from: \(wrapping.form.rawValue)"
      + (wrapping.flag.map { ", when: " + YAMLText.scalar($0.text) } ?? "") + "}"
  }

  private static func list(_ pointers: [JSONPointer]) -> String { list(pointers.map(\.text)) }

  private static func list(_ texts: [String]) -> String {
    texts.count == 1
      ? YAMLText.scalar(texts[0])
      : "[" + texts.map(YAMLText.scalar).joined(separator: ", ") + "]"
  }

  package static func text(_ parts: [TemplatePart]) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text.replacing("{", with: "{{").replacing("}", with: "}}")
      case .pointer(let pointer, let form):
        "{\(pointer.text)\(form == .text ? "" : "|\(form.rawValue)")}"
      }
    }.joined()
  }

  package static func place(_ mapping: FieldMapping) -> String {
    switch mapping.source {
    case .pointers(let pointers): pointers.map(\.text).joined(separator: " or ")
    case .template(let parts): text(parts)
    case .constant(let text): text
    }
  }
}
