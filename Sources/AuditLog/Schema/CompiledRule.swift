/// A rule with the slots of its pointers.
struct CompiledRule: Sendable {
  struct Condition: Sendable {
    var slots: [Int]
    var test: SchemaCondition.Test

    /// Whether the value is the route of a request.
    var isOfRoute: Bool {
      switch test {
      case .isPath: true
      case .isOne(let values), .isNone(let values): values.allSatisfy { $0.hasPrefix("/") }
      case .isPresent: false
      }
    }
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
      case slot(Int, TemplateForm)
    }
    var field: LogField
    var source: Source
    var encoding: FieldEncoding
    var values: ValueTable?
    /// Whether it has zero bytes if it is absent.
    var isEmptyIfAbsent: Bool

    /// The slots examined, in their order.
    var slots: [Int] {
      switch source {
      case .slots(let slots): slots
      case .template(let parts):
        parts.compactMap { part in if case .slot(let slot, _) = part { slot } else { nil } }
      case .constant: []
      }
    }
  }

  let name: String
  let kind: SchemaRule.Kind
  let conditions: [Condition]
  /// The fields in their order.
  let fields: [Field]
  /// The form of the time.
  let time: TimeForm
  let durationUnit: TimeUnit
  /// The slots of all fields, and of what has to be known for them, a bit each.
  var slots: UInt64

  init(_ rule: SchemaRule, _ tree: inout PointerTree) throws(SchemaProblem) {
    name = rule.name
    kind = rule.kind
    time = rule.fields[.time]?.time ?? TimeForm()
    durationUnit = rule.fields[.duration]?.time.unit ?? .s
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
        case .pointer(let pointer, let form):
          compiled.append(.slot(try tree.slot(of: pointer), form))
        }
      }
      source = .template(compiled)
      encoding = .utf8
    case .constant(let text):
      source = .constant(text)
      encoding = .utf8
    }
    return Field(
      field: field, source: source, encoding: encoding, values: mapping.values,
      isEmptyIfAbsent: mapping.isEmptyIfAbsent)
  }

  /// Returns the encoding that is meant; `auto` stays where the value's length decides.
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
