/// A rule with the slots of its pointers.
struct CompiledRule: Sendable {
  struct Condition: Sendable {
    var slots: [Int]
    var test: SchemaCondition.Test

    var isOfRoute: Bool {
      switch test {
      case .isPath: true
      case .isOne(let values), .isNone(let values): values.allSatisfy { $0.hasPrefix("/") }
      case .isPresent: false
      }
    }
  }

  struct Field: Sendable {
    var field: LogField
    var mapping: FieldMapping
    var encoding: FieldEncoding
    /// The slots of the mapping's pointers, in their order.
    var slots: [Int]
  }

  let definition: SchemaRule
  let conditions: [Condition]
  let fields: [Field]
  /// The slots of all fields, and of what has to be known for them, a bit each.
  var slots: UInt64

  var time: TimeForm { definition.fields[.time]?.time ?? TimeForm() }

  init(_ rule: SchemaRule, _ tree: inout PointerTree) throws(SchemaProblem) {
    definition = rule
    conditions = try rule.conditions.map { (condition) throws(SchemaProblem) in
      Condition(slots: try tree.slots(of: condition.pointers), test: condition.test)
    }
    var fields: [Field] = []
    for field in LogField.allCases {
      guard let mapping = rule.fields[field] else { continue }
      let encoding = mapping.encoding(of: field)
      let slots = try tree.slots(of: mapping.pointers, raw: encoding == .raw)
      fields.append(Field(field: field, mapping: mapping, encoding: encoding, slots: slots))
    }
    self.fields = fields
    slots = fields.flatMap(\.slots).reduce(0) { $0 | 1 << UInt64($1) }
  }
}

extension FieldMapping {
  /// Returns the encoding that is meant for a field; `auto` stays if the value's length decides.
  fileprivate func encoding(of field: LogField) -> FieldEncoding {
    guard case .pointers = source else { return .utf8 }
    switch encoding ?? .auto {
    case .base64url: return .base64
    case .auto where field == .token || field == .clientData: return .base64
    case .auto where field != .keyId && field != .clientDataHash: return .utf8
    case let encoding: return encoding
    }
  }
}

extension PointerTree {
  fileprivate mutating func slots(
    of pointers: [JSONPointer], raw: Bool = false
  ) throws(SchemaProblem) -> [Int] {
    var slots: [Int] = []
    for pointer in pointers { slots.append(try slot(of: pointer, raw: raw)) }
    return slots
  }
}
