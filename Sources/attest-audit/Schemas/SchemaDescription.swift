import AuditLog
import AuditSettings

/// The mapping of a schema as text.
struct SchemaDescription {
  let file: SchemaFile

  typealias Row = (String, String)

  /// The rows: one for the schema, and, unless it is the default one, the fields that each rule
  /// looks for.
  var rows: [Row] {
    let schema = file.definition
    guard !file.compiled.isStandard else { return [("schema", schema.name)] }
    var rows = [("schema", schema.name)]
    if schema.formation == .raw { rows.append(("  hash", "raw: client data is the hash")) }
    if schema.skipsPrefix { rows.append(("  prefix", "passed over")) }
    for wrapping in schema.wrappings {
      rows.append(
        (
          "  unwrap",
          "\(wrapping.pointer.text) from \(wrapping.form.rawValue)"
            + (wrapping.flag.map { " if \($0.text) is true" } ?? "")
        ))
    }
    if !schema.headers.isEmpty {
      rows.append(("  headers", Self.list(schema.headers) + ", without case"))
    }
    for rule in schema.rules { rows += Self.rows(of: rule) }
    return rows
  }

  private static func rows(of rule: SchemaRule) -> [Row] {
    var rows = [("  \(rule.name)", words(rule.kind))]
    for condition in rule.conditions {
      rows.append(("    when", words(condition)))
    }
    for field in LogField.allCases {
      if let mapping = rule.fields[field] { rows.append(("    \(field.name)", words(mapping))) }
    }
    return rows
  }

  private static func words(_ kind: SchemaRule.Kind) -> String {
    switch kind {
    case .fixed(let kind): "\(kind)"
    case .deviceCheckToken: "deviceCheckToken"
    case .mapped: "the kind that its field names"
    case .inferred: "the kind that its fields show"
    }
  }

  private static func words(_ condition: SchemaCondition) -> String {
    let pointers = list(condition.pointers)
    switch condition.test {
    case .isOne(let values): return "\(pointers) is \(quoted(values).joined(separator: " or "))"
    case .isNone(let values):
      return "\(pointers) is there, and not \(quoted(values).joined(separator: " or "))"
    case .isPath(let patterns):
      return "\(pointers) is the route \(quoted(patterns.map(\.text)).joined(separator: " or "))"
    case .isPresent(true): return "\(pointers) is there"
    case .isPresent(false): return "\(pointers) is not there"
    }
  }

  private static func words(_ mapping: FieldMapping) -> String {
    var parts: [String] = []
    switch mapping.source {
    case .pointers(let pointers): parts.append(list(pointers))
    case .template(let template):
      parts.append("'\(SchemaWriter.text(template))'")
    case .constant(let text): parts.append("'\(text)'")
    }
    if let encoding = mapping.encoding { parts.append(encoding.rawValue) }
    if let unit = mapping.time.unit { parts.append(unit.rawValue) }
    if let pattern = mapping.time.pattern { parts.append("'\(pattern.text)'") }
    if let zone = mapping.time.zone { parts.append("in \(zone.name) where they carry no zone") }
    if let table = mapping.values {
      parts += table.entries.map { "\($0.value) is \($0.word)" }
      if let otherwise = table.otherwise { parts.append("all else is \(otherwise)") }
    }
    return parts.joined(separator: ", ")
  }

  private static func list(_ pointers: [JSONPointer]) -> String {
    pointers.map(\.text).joined(separator: " or ")
  }

  private static func quoted(_ texts: [String]) -> [String] { texts.map { "'\($0)'" } }
}
