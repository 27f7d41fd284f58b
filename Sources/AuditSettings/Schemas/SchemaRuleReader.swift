import AuditLog

struct SchemaRuleReader {
  let shared: [LogField: FieldMapping]
  /// Whether these are all, since none has a mistake.
  var isWhole = true

  static let kinds: [(name: String, kind: SchemaRule.Kind)] = [
    ("attestation", .fixed(.attestation)), ("assertion", .fixed(.assertion)),
    ("challenge", .fixed(.challenge)), ("deviceCheckToken", .deviceCheckToken),
  ]

  func read(_ node: PipelineNode, number: Int) throws(CommandError) -> SchemaRule {
    let members = try node.members(SchemaLanguage.rule)
    var own: [LogField: FieldMapping] = [:]
    if let fields = members["fields"] { own = try FieldMappingReader.readFields(fields) }
    var rule = SchemaRule(
      name: try members["name"]?.value(.text) ?? "rule \(number)", kind: .inferred,
      fields: shared.merging(own, uniquingKeysWith: { $1 }))
    if let when = members["when"] { rule.conditions = try readConditions(when) }
    if let kind = members["kind"] {
      if own[.kind] != nil {
        throw kind.error("the rule's kind is set twice: here, and among its fields")
      }
      rule.fields[.kind] = nil
      if kind.isScalar, case let word = try kind.verbatim(), !word.hasPrefix("/") {
        rule.kind = try kind.value(.word(Self.kinds.map { ($0.name, $0.kind) }))
      } else {
        rule.kind = .mapped
        rule.fields[.kind] = try FieldMappingReader.read(kind, .kind)
      }
    }
    if isWhole, let problem = RuleNeeds(rule: rule, own: own).problem {
      throw node.error("'\(rule.name)' \(problem)")
    }
    return rule
  }

  private func readConditions(_ node: PipelineNode) throws(CommandError) -> [SchemaCondition] {
    var conditions: [SchemaCondition] = []
    for element in try node.elements() {
      let members = try element.members(SchemaLanguage.condition)
      let pointer = try element.needed("pointer", of: members, "a condition needs a pointer")
      guard let (name, value) = try element.choice(of: ["is", "not", "path", "present"], members)
      else { throw element.error("a condition needs 'is', 'not', 'path' or 'present'") }
      let test: SchemaCondition.Test =
        switch name {
        case "is": .isOne(of: try readTexts(value))
        case "not": .isNone(of: try readTexts(value))
        case "path": .isPath(of: try readRoutes(value))
        default: .isPresent(try value.value(.boolean))
        }
      conditions.append(.init(try FieldMappingReader.readPointers(pointer), test))
    }
    try node.require(
      !conditions.isEmpty, "without a condition the rule fits every line", hint: "leave 'when' out")
    return conditions
  }

  private func readRoutes(_ node: PipelineNode) throws(CommandError) -> [RoutePattern] {
    try node.list(of: "routes") { (element) throws(CommandError) in
      let text = try element.verbatim()
      do throws(SchemaProblem) { return try RoutePattern(parsing: text) } catch {
        throw element.error(
          "the route '\(text)' \(error.text)",
          hint: "write /users/*/notes for one segment, /files/** for any number")
      }
    }
  }

  private func readTexts(_ node: PipelineNode) throws(CommandError) -> [String] {
    try node.list(of: "values") { (value) throws(CommandError) in try value.verbatim() }
  }
}

/// A check that a rule maps the fields that its lines need, and no others.
struct RuleNeeds {
  let rule: SchemaRule
  let own: [LogField: FieldMapping]

  /// The fields that lines of a kind need, and those that they can have.
  private struct Need {
    let kind: SchemaRule.Kind
    let words: String
    /// The fields that lines of the kind use beside the common ones.
    let fields: Set<LogField>
    /// The fields that they need: of each list one.
    let needed: [[LogField]]
  }

  private static let common: Set<LogField> = [
    .time, .appId, .subject, .requestId, .clientIP, .userAgent, .route, .duration, .decision,
    .platform, .format,
  ]

  private static let needs = [
    Need(
      kind: .fixed(.assertion), words: "an assertion",
      fields: [
        .keyId, .token, .deviceId, .serverCounter, .payload, .clientData, .clientDataHash,
      ],
      needed: [
        [.time], [.keyId, .deviceId], [.token], [.payload, .clientData, .clientDataHash],
      ]),
    Need(
      kind: .fixed(.attestation), words: "an attestation",
      fields: [.keyId, .token, .deviceId, .challenge, .clientData, .clientDataHash],
      needed: [[.time], [.keyId], [.token], [.challenge, .clientData, .clientDataHash]]),
    Need(
      kind: .fixed(.challenge), words: "a challenge", fields: [.challenge, .token],
      needed: [[.time], [.challenge]]),
    Need(
      kind: .deviceCheckToken, words: "a DeviceCheck token", fields: [.token, .deviceId],
      needed: [[.token]]),
  ]

  /// The fault, as text behind the rule's name, or nil if there is none.
  var problem: String? {
    if let need = Self.needs.first(where: { $0.kind == rule.kind }) {
      let known = Self.common.union(need.fields)
      if let field = LogField.allCases.first(where: { own[$0] != nil && !known.contains($0) }) {
        return "is \(need.words), which has no \(field.name)"
      }
      return missing(need).map { "is \(need.words), and maps no \($0)" }
    }
    for word in words {
      let kind = SchemaRuleReader.kinds.first { $0.name == word }?.kind
      guard let need = Self.needs.first(where: { $0.kind == kind }), let field = missing(need)
      else { continue }
      return "may be \(need.words), and maps no \(field)"
    }
    let faults = Self.needs.prefix(3).compactMap { need in
      missing(need).map { "\($0) for \(need.words)" }
    }
    guard words.isEmpty, faults.count == 3 else { return nil }
    return "maps too little for any kind: \(faults[0]), \(faults[1])"
  }

  /// The words that the kind's value table may give.
  private var words: [String] {
    guard let table = rule.fields[.kind]?.values else { return [] }
    return table.entries.map(\.word) + (table.otherwise.map { [$0] } ?? [])
  }

  /// Returns the first fields of which a kind needs one and the rule maps none, in words.
  private func missing(_ need: Need) -> String? {
    let fields = need.needed.first { $0.allSatisfy { rule.fields[$0] == nil } }
    guard let names = fields?.map(\.name), let last = names.last else { return nil }
    let list = names.count == 1 ? last : "\(names.dropLast().joined(separator: ", ")) or \(last)"
    return names.count == 3 ? "client data (\(list))" : list
  }
}
