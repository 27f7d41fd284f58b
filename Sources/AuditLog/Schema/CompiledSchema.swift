/// A schema in the form that lines are read by; what is wrong with one shows when it is made.
package final class CompiledSchema: Sendable {
  package let definition: LogSchema
  let tree: PointerTree
  let rules: [CompiledRule]
  /// The slots that choose between the rules, a bit each.
  let conditionSlots: UInt64
  /// The slots that say whether strings are wrapped, a bit each.
  let switchSlots: UInt64
  /// The slots that hold routes by the conditions of rules, in their order.
  let routeSlots: [Int]
  /// True where lines are in the default schema's form, which is read without looking up anything.
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
      definition.wrappings.isEmpty, !definition.skipsPrefix, definition.formation == .sha256
    {
      self.init(definition, tree: Self.standardTree, rules: [])
      return
    }
    var tree = try PointerTree(headers: definition.headers)
    for wrapping in definition.wrappings { try tree.wrap(wrapping) }
    var rules: [CompiledRule] = []
    for rule in definition.rules { rules.append(try CompiledRule(rule, &tree)) }
    // What tells of wrappings is looked at with what is wrapped.
    for index in rules.indices { rules[index].slots |= tree.switches(of: rules[index].slots) }
    if let idle = tree.idleHeaders {
      throw SchemaProblem("no pointer goes through the headers \(idle.text)")
    }
    if let idle = tree.idleWrapping {
      throw SchemaProblem("no pointer goes to or through \(idle.text), which is to be unwrapped")
    }
    self.init(definition, tree: tree, rules: rules)
  }

  private init(_ definition: LogSchema, tree: PointerTree, rules: [CompiledRule]) {
    self.definition = definition
    self.tree = tree
    self.rules = rules
    let slots: UInt64 = rules.flatMap(\.conditions).flatMap(\.slots)
      .reduce(0) { $0 | 1 << UInt64($1) }
    conditionSlots = slots | tree.switches(of: slots)
    switchSlots = tree.switches(of: .max)
    var routeSlots: [Int] = []
    for condition in rules.flatMap(\.conditions) where condition.isOfRoute {
      for slot in condition.slots where !routeSlots.contains(slot) { routeSlots.append(slot) }
    }
    self.routeSlots = routeSlots
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
