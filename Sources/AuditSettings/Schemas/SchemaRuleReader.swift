import AuditLog

/// A reader of a rule of a schema.
struct SchemaRuleReader {
  /// The fields of all rules.
  let shared: [LogField: FieldMapping]
  /// Whether these are all, since none has a mistake.
  var isWhole = true

  /// The words for kinds.
  static let kinds: [(name: String, kind: SchemaRule.Kind)] = [
    ("attestation", .fixed(.attestation)), ("assertion", .fixed(.assertion)),
    ("challenge", .fixed(.challenge)), ("deviceCheckToken", .deviceCheckToken),
  ]

  func read(_ node: PipelineNode, number: Int) throws(CommandError) -> SchemaRule {
    let members = try node.members(SchemaLanguage.rule.names)
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
      let members = try element.members(SchemaLanguage.condition.names)
      guard let pointer = members["pointer"] else {
        throw element.error("a condition needs a pointer")
      }
      let given = ["is", "not", "path", "present"].filter { members[$0] != nil }
      guard let test = given.first, let value = members[test] else {
        throw element.error("a condition needs 'is', 'not', 'path' or 'present'")
      }
      guard given.count == 1 else {
        throw element.error("'\(given[0])' and '\(given[1])' exclude each other")
      }
      let pointers = try FieldMappingReader.readPointers(pointer)
      switch test {
      case "is": conditions.append(.init(pointers, .isOne(of: try readTexts(value))))
      case "not": conditions.append(.init(pointers, .isNone(of: try readTexts(value))))
      case "path": conditions.append(.init(pointers, .isPath(of: try readRoutes(value))))
      default: conditions.append(.init(pointers, .isPresent(try value.value(.boolean))))
      }
    }
    guard !conditions.isEmpty else {
      throw node.error("without a condition the rule fits every line", hint: "leave 'when' out")
    }
    return conditions
  }

  /// Reads a route's pattern, or a list of them.
  private func readRoutes(_ node: PipelineNode) throws(CommandError) -> [RoutePattern] {
    var patterns: [RoutePattern] = []
    for element in node.isList ? try node.elements() : [node] {
      let text = try element.verbatim()
      do throws(RoutePattern.Problem) {
        patterns.append(try RoutePattern(parsing: text))
      } catch {
        throw element.error(
          "the route '\(text)' \(error.text)",
          hint: "write /users/*/notes for one segment, /files/** for any number")
      }
    }
    guard !patterns.isEmpty else { throw node.error("a list of routes is empty") }
    return patterns
  }

  /// Reads a value's text, or a list of them.
  private func readTexts(_ node: PipelineNode) throws(CommandError) -> [String] {
    var texts: [String] = []
    for value in node.isList ? try node.elements() : [node] { texts.append(try value.verbatim()) }
    guard !texts.isEmpty else { throw node.error("a list of values is empty") }
    return texts
  }
}
