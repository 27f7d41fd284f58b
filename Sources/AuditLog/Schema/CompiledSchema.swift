/// A schema in the form that lines are read by; what is wrong with one shows when it is made.
package final class CompiledSchema: Sendable {
  package let definition: LogSchema
  let tree: PointerTree
  let rules: [CompiledRule]
  /// The slots that choose between the rules, a bit each.
  let conditionSlots: UInt64
  /// Whether lines are in the default schema's form, which is read without looking up anything.
  package let isStandard: Bool

  package var name: String { definition.name }

  /// The schema of `records.md`.
  package static let standard = CompiledSchema(.standard, tree: standardTree, rules: [])

  package convenience init(_ definition: LogSchema) throws(SchemaProblem) {
    guard !definition.rules.isEmpty else { throw SchemaProblem("a schema needs a rule") }
    guard definition.rules.count == 1 || definition.rules.allSatisfy({ !$0.conditions.isEmpty })
    else {
      throw SchemaProblem("a rule without conditions fits every line, and stands alone")
    }
    if definition.rules == LogSchema.standard.rules, definition.headers.isEmpty,
      definition.formation == .sha256
    {
      self.init(definition, tree: Self.standardTree, rules: [])
      return
    }
    var tree = try PointerTree(headers: definition.headers)
    var rules: [CompiledRule] = []
    for rule in definition.rules { rules.append(try CompiledRule(rule, &tree)) }
    if let idle = tree.idleHeaders {
      throw SchemaProblem("no pointer goes through the headers \(idle.text)")
    }
    self.init(definition, tree: tree, rules: rules)
  }

  private init(_ definition: LogSchema, tree: PointerTree, rules: [CompiledRule]) {
    self.definition = definition
    self.tree = tree
    self.rules = rules
    conditionSlots = rules.flatMap(\.conditions).flatMap(\.slots)
      .reduce(0) { $0 | 1 << UInt64($1) }
    isStandard = rules.isEmpty
  }

  /// Slot i is the field of raw value i.
  private static let standardTree: PointerTree = {
    do throws(SchemaProblem) {
      var tree = try PointerTree(headers: [])
      for field in LogField.ofDefaultSchema { _ = try tree.slot(of: JSONPointer([field.name])) }
      return tree
    } catch {
      preconditionFailure("the default schema is wrong: \(error.text)")
    }
  }()
}

/// A rule with the slots of its pointers.
struct CompiledRule: Sendable {
  struct Condition: Sendable {
    var slots: [Int]
    var test: SchemaCondition.Test
  }

  /// A field's value and what is done with it.
  struct Field: Sendable {
    enum Source: Sendable {
      case slots([Int])
      case template([Part])
      case constant(String)
    }
    enum Part: Sendable {
      case text(String)
      case slot(Int)
    }
    var field: LogField
    var source: Source
    var encoding: FieldEncoding
    var values: ValueTable?

    /// The slots looked at, in their order.
    var slots: [Int] {
      switch source {
      case .slots(let slots): slots
      case .template(let parts):
        parts.compactMap { part in if case .slot(let slot) = part { slot } else { nil } }
      case .constant: []
      }
    }
  }

  let name: String
  let kind: SchemaRule.Kind
  let conditions: [Condition]
  /// In the order of the fields.
  let fields: [Field]
  let unit: TimeUnit?
  /// The slots of all fields, a bit each.
  let slots: UInt64

  init(_ rule: SchemaRule, _ tree: inout PointerTree) throws(SchemaProblem) {
    name = rule.name
    kind = rule.kind
    unit = rule.fields[.time]?.unit
    var conditions: [Condition] = []
    for condition in rule.conditions {
      var slots: [Int] = []
      for pointer in condition.pointers { slots.append(try tree.slot(of: pointer)) }
      conditions.append(Condition(slots: slots, test: condition.test))
    }
    self.conditions = conditions
    var fields: [Field] = []
    for field in LogField.allCases {
      guard let mapping = rule.fields[field] else { continue }
      fields.append(try Self.compile(field, mapping, &tree))
    }
    self.fields = fields
    slots = fields.flatMap(\.slots).reduce(0) { $0 | 1 << UInt64($1) }
  }

  private static func compile(
    _ field: LogField, _ mapping: FieldMapping, _ tree: inout PointerTree
  ) throws(SchemaProblem) -> Field {
    var encoding = encoding(of: field, mapping)
    var source: Field.Source
    switch mapping.source {
    case .pointers(let pointers):
      var slots: [Int] = []
      for pointer in pointers { slots.append(try tree.slot(of: pointer, raw: encoding == .raw)) }
      source = .slots(slots)
    case .template(let parts):
      var compiled: [Field.Part] = []
      for part in parts {
        switch part {
        case .text(let text): compiled.append(.text(text))
        case .pointer(let pointer): compiled.append(.slot(try tree.slot(of: pointer)))
        }
      }
      source = .template(compiled)
      encoding = .utf8
    case .constant(let text):
      source = .constant(text)
      encoding = .utf8
    }
    return Field(field: field, source: source, encoding: encoding, values: mapping.values)
  }

  /// The encoding that is meant; `auto` stays where the value's length decides.
  private static func encoding(of field: LogField, _ mapping: FieldMapping) -> FieldEncoding {
    let encoding = mapping.encoding ?? .auto
    guard encoding == .auto else { return encoding == .base64url ? .base64 : encoding }
    switch field {
    case .keyId, .clientDataHash: return .auto
    case .token, .clientData: return .base64
    default: return .utf8
    }
  }
}
