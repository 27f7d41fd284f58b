import AuditLog

/// A reader of the source of a field's value, and of its form.
enum FieldMappingReader {
  static func readFields(_ node: PipelineNode) throws(CommandError) -> [LogField: FieldMapping] {
    var fields: [LogField: FieldMapping] = [:]
    var mistakes = Mistakes()
    let members = node.members(LogField.allCases.map(\.name), &mistakes)
    for field in LogField.allCases {
      guard let value = members[field.name] else { continue }
      fields[field] = mistakes.attempt { () throws(CommandError) in try read(value, field) }
    }
    try mistakes.check()
    return fields
  }

  /// Reads a pointer, a list of pointers, or a mapping.
  static func read(_ node: PipelineNode, _ field: LogField) throws(CommandError) -> FieldMapping {
    guard !node.isScalar, !node.isList else {
      return FieldMapping(.pointers(try readPointers(node)))
    }
    let members = try node.members(SchemaLanguage.field)
    var mapping = FieldMapping(try readSource(node, field, members))
    if let encoding = members["encoding"] {
      mapping.encoding = try readEncoding(encoding, field, mapping.source)
    }
    for name in ["unit", "format", "zone"] where field != .time {
      guard let member = members[name], field != .duration || name != "unit" else { continue }
      throw member.error("only a time has a \(name)")
    }
    mapping.time =
      field == .duration
      ? TimeForm(unit: try members["unit"]?.value(durationUnit)) : try TimeFormReader.read(members)
    if let absent = members["absent"] {
      try absent.require(
        clientData.contains(field) && mapping.pointers.count > 0,
        "only client data at a pointer can be absent and count as empty")
      mapping.isEmptyIfAbsent = try absent.value(.word([("empty", true)]))
    }
    mapping.values = try readTable(node, field, members)
    if mapping.values != nil, mapping.pointers.isEmpty {
      throw node.error("a constant needs no table of values")
    }
    return mapping
  }

  static func readPointers(_ node: PipelineNode) throws(CommandError) -> [JSONPointer] {
    var seen: Set<String> = []
    return try node.list(of: "pointers") { (element) throws(CommandError) in
      let pointer = try readPointer(element)
      try element.require(
        seen.insert(pointer.text).inserted, "the pointer \(pointer.text) occurs twice")
      return pointer
    }
  }

  static func readPointer(_ node: PipelineNode) throws(CommandError) -> JSONPointer {
    let text = try node.verbatim()
    let pointer: JSONPointer
    do throws(SchemaProblem) { pointer = try JSONPointer(parsing: text) } catch {
      throw node.error(
        "the JSON Pointer '\(text)' \(error.text)",
        hint: text.hasPrefix("/")
          ? nil
          : "write '/\(text.replacing(".", with: "/"))': names of members are separated by slashes")
    }
    try PlacesOfHeaders([]).refuse(pointer, at: node)
    return pointer
  }

  private static func readSource(
    _ node: PipelineNode, _ field: LogField, _ members: [String: PipelineNode]
  ) throws(CommandError) -> FieldMapping.Source {
    switch try node.choice(of: ["pointer", "template", "constant"], members) {
    case ("pointer", let pointer)?: return .pointers(try readPointers(pointer))
    case ("template", let template)?: return .template(try readTemplate(template, field))
    case (_, let constant)?:
      try constant.require(
        constantFields.contains(field), "a constant \(field.name) would be the same in every record"
      )
      guard field == .decision else { return .constant(try constant.text()) }
      return .constant(try constant.value(.word(["accepted", "rejected"].map { ($0, $0) })))
    case nil: throw node.error("a field needs a pointer, a template or a constant")
    }
  }

  private static func readTemplate(
    _ node: PipelineNode, _ field: LogField
  ) throws(CommandError) -> [TemplatePart] {
    try node.require(
      templateFields.contains(field), "a template is text, and \(field.name) is none")
    let parts = try TemplateReader.read(node)
    let forms: [TemplateForm] = parts.map {
      if case .pointer(_, let form) = $0 { form } else { .text }
    }
    let members: [TemplateForm] = [.signature, .authenticatorData]
    try node.require(
      field == .token ? forms == members : !forms.contains(where: members.contains),
      "the template of a token, and no other, is '{/POINTER|signature}{/POINTER|authenticatorData}'"
    )
    return parts
  }

  private static func readEncoding(
    _ node: PipelineNode, _ field: LogField, _ source: FieldMapping.Source
  ) throws(CommandError) -> FieldEncoding {
    let encoding = try node.value(SettingFormat<FieldEncoding>.cases)
    guard case .pointers = source else {
      throw node.error("templates and constants are text, and have no encoding")
    }
    let allowed = encodings(of: field)
    guard !allowed.isEmpty else { throw node.error("\(field.name) is text, and has no encoding") }
    try node.require(
      allowed.contains(encoding), "\(field.name) cannot be written in \(encoding.rawValue)",
      hint: "use one of: \(allowed.map(\.rawValue).joined(separator: ", "))")
    return encoding
  }

  private static func readTable(
    _ node: PipelineNode, _ field: LogField, _ members: [String: PipelineNode]
  ) throws(CommandError) -> ValueTable? {
    guard let values = members["values"] else {
      if let otherwise = members["otherwise"] {
        throw otherwise.error("without 'values' there is nothing else")
      }
      return nil
    }
    let words = words(of: field)
    try values.require(!words.isEmpty, "only kind and decision have a table of values")
    let format = SettingFormat.word(words.map { ($0, $0) })
    var table = ValueTable([])
    for (name, value) in try values.entries() {
      table.entries.append(.init(name, try value.value(format)))
    }
    guard !table.entries.isEmpty else { throw values.error("a table of values is empty") }
    table.otherwise = try members["otherwise"]?.value(format)
    return table
  }

  // MARK: What fields may have

  /// Returns the encodings of a field's bytes, or none for a text.
  static func encodings(of field: LogField) -> [FieldEncoding] {
    switch field {
    case .challenge, .payload, .clientData: FieldEncoding.allCases
    case .clientDataHash: [.auto, .utf8, .base64, .base64url, .hex]
    case .keyId, .token: [.auto, .base64, .base64url, .hex]
    default: []
    }
  }

  /// Returns the words that values of a field stand for, or none if it has no table of them.
  static func words(of field: LogField) -> [String] {
    switch field {
    case .kind: SchemaRuleReader.kinds.map(\.name)
    case .decision: ["accepted", "rejected", "unknown"]
    default: []
    }
  }

  private static let clientData: Set<LogField> = [.challenge, .payload, .clientData]

  private static let durationUnit = SettingFormat.word(
    [TimeUnit.s, .ms, .us, .ns].map { ($0.rawValue, $0) } + [("µs", .us)])

  private static let templateFields: Set<LogField> = [
    .time, .token, .challenge, .payload, .clientData, .subject, .requestId, .appId, .deviceId,
    .route,
  ]

  private static let constantFields: Set<LogField> = [
    .challenge, .payload, .clientData, .appId, .subject, .decision, .platform, .format, .route,
  ]
}

/// A reader of templates, with `{/pointer}`, or `{/pointer|base64}` for the bytes of a text.
enum TemplateReader {
  /// The forms that a pointer names after a bar.
  private static let forms = TemplateForm.allCases.filter { $0 != .text }

  static func read(_ node: PipelineNode) throws(CommandError) -> [TemplatePart] {
    let text = try node.verbatim()
    var parts: [TemplatePart] = []
    var plain = ""
    var rest = text[...]
    while let character = rest.popFirst() {
      switch character {
      case "{" where rest.first == "{", "}" where rest.first == "}":
        rest.removeFirst()
        plain.append(character)
      case "{":
        guard let end = rest.firstIndex(of: "}") else {
          throw node.error("the template has a '{' without '}'", hint: "write '{{' for a brace")
        }
        let whole = String(rest[..<end])
        let form = forms.first { whole.hasSuffix("|\($0.rawValue)") }
        let inside = form.map { String(whole.dropLast($0.rawValue.count + 1)) } ?? whole
        rest = rest[rest.index(after: end)...]
        if !plain.isEmpty { parts.append(.text(plain)) }
        plain = ""
        do throws(SchemaProblem) {
          parts.append(.pointer(try JSONPointer(parsing: inside), form ?? .text))
        } catch {
          throw node.error("the JSON Pointer '\(inside)' in the template \(error.text)")
        }
      case "}":
        throw node.error("the template has a '}' without '{'", hint: "write '}}' for a brace")
      default: plain.append(character)
      }
    }
    if !plain.isEmpty { parts.append(.text(plain)) }
    guard parts.contains(where: { if case .pointer = $0 { true } else { false } }) else {
      throw node.error("the template has no pointer in it", hint: "use 'constant' for a fixed text")
    }
    return parts
  }
}
