import AuditLog

/// The `schema:` section of a pipeline file.
struct SchemaText {
  let schema: FoundSchema
  private let fields: FieldText
  private let headers: [String]
  /// The lines about strings that stand for others.
  private let wrappings: [String]

  init(_ schema: FoundSchema, _ sample: LogSample) {
    let pointers = sample.pointers
    self.schema = schema
    fields = FieldText(pointers: pointers)
    var used: Set<Int> = []
    let rules = schema.completeRules.isEmpty ? schema.rules : schema.completeRules
    for rule in rules {
      used.formUnion(rule.conditions.flatMap(\.pointers))
      for field in rule.fields where field.isActive { used.formUnion(Self.pointers(field)) }
    }
    for field in schema.shared where field.isActive { used.formUnion(Self.pointers(field)) }
    let looked = used
    var lines: [String] = []
    for wrapping in sample.wrappings
    where looked.contains(where: {
      $0 == wrapping.pointer || pointers.isInside($0, wrapping.pointer)
    }) {
      let place = YAMLText.scalar(pointers.text(wrapping.pointer))
      let flag = wrapping.flag.map { ", when: " + YAMLText.scalar(pointers.text($0)) } ?? ""
      lines.append("    - {pointer: \(place), from: \(wrapping.form.rawValue)\(flag)}")
      used.insert(wrapping.pointer)
      if let flag = wrapping.flag { used.insert(flag) }
    }
    wrappings = lines
    headers = Set(used.compactMap { pointers.header(of: $0) })
      .map { YAMLText.scalar(pointers.text($0)) }.sorted()
  }

  private static func pointers(_ field: FoundField) -> [Int] {
    switch field.form {
    case .pointers(let pointers, _, _): pointers
    case .table(let pointer, _, _): [pointer]
    case .template(let parts):
      parts.compactMap { if case .value(let pointer) = $0 { pointer } else { nil } }
    }
  }

  /// The lines of the section, without indentation.
  var lines: [String] {
    if schema.isDefault { return defaultLines }
    guard schema.completeRules.isEmpty else { return mappedLines }
    return [
      "# Not enough was found to read the log by. What follows is a start; until it is whole the log",
      "# is read by the default schema.",
    ] + mappedLines.map { $0.hasPrefix("#") ? $0 : "# " + $0 }
  }

  private var defaultLines: [String] {
    let found = schema.rules.flatMap { rule in
      rule.fields.map { "#   \($0.name) of \(rule.role.plural): \(comment($0))" }
    }
    let comments =
      [
        "# Everything stands where the default schema looks for it:"
      ] + found + schema.shared.map { "#   \($0.name): \(comment($0))" }
    return comments + (schema.hasPrefix ? Self.defaultBehindPrefix : ["schema: default"])
  }

  /// The text for the default schema on lines with text before their objects.
  private static let defaultBehindPrefix =
    ["schema:", "  prefix: skip", "  rules:", "    - fields:"]
    + LogField.ofDefaultSchema.map { "        \($0.name): /\($0.name)" }

  private var mappedLines: [String] {
    var lines = [
      "# How a line of the log becomes a record. A pointer may go through strings that hold JSON.",
      "schema:",
    ]
    lines += [
      "  # \(schema.replayReason)", "  replayScope: \(schema.replayScope)",
    ]
    if schema.isRaw {
      lines += ["  # client data are the clientDataHash itself", "  hash: raw"]
    }
    if schema.hasPrefix {
      lines += ["  # something stands in front of each line's JSON", "  prefix: skip"]
    }
    if !headers.isEmpty {
      lines += [
        "  # names in here compare without case", "  headers: [\(headers.joined(separator: ", "))]",
      ]
    }
    if !wrappings.isEmpty {
      lines += ["  # strings that stand for others", "  unwrap:"] + wrappings
    }
    lines.append("  fields:")
    lines += schema.shared.flatMap { line($0, indent: "    ") }
    lines += schema.missing.map { "    # not found: \(YAMLText.comment($0))" }
    lines.append("  rules:")
    let complete = schema.completeRules
    for rule in complete { lines += text(rule) }
    for rule in schema.rules where !complete.contains(where: { $0.name == rule.name }) {
      lines.append("    # \(rule.role.plural) lack something that a rule needs:")
      lines += text(rule).map { "    # " + $0.dropFirst(4) }
    }
    return lines
  }

  private func text(_ rule: FoundRule) -> [String] {
    var lines = ["    - name: \(rule.name)"]
    if !rule.conditions.isEmpty {
      lines.append("      when:")
      lines += rule.conditions.map { "        - \(fields.condition($0))" }
    }
    lines.append("      kind: \(rule.role.kind)")
    lines.append("      fields:")
    lines += rule.fields.flatMap { line($0, indent: "        ") }
    lines += rule.missing.map { "        # not found: \(YAMLText.comment($0))" }
    return lines
  }

  private func line(_ field: FoundField, indent: String) -> [String] {
    let text = "\(field.name): \(fields.value(field))"
    return [
      "\(indent)# \(comment(field))",
      field.isActive ? "\(indent)\(text)" : "\(indent)# perhaps: \(text)",
    ]
  }

  private func comment(_ field: FoundField) -> String {
    YAMLText.comment("\(field.what), \(field.lines) of \(field.of) lines")
  }
}
