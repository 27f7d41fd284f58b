/// A schema in the form that lines are read by; what is wrong with one shows when it is made.
package final class CompiledSchema: Sendable {
  package let definition: LogSchema
  let tree: PointerTree
  /// The places of the records and of other values in a line that has several records.
  let line: LineTree?
  let rules: [CompiledRule]
  /// The slots that choose between the rules, a bit each.
  let conditionSlots: UInt64
  /// The slots that say whether strings are wrapped, a bit each.
  let switchSlots: UInt64
  /// The slots that hold routes by the conditions of rules, in their order.
  let routeSlots: [Int]
  /// Whether lines are in the default schema's form, which is read without looking up anything.
  package let isStandard: Bool

  package var name: String { definition.name }
  /// Whether a time of the log can mean one of two instants (`records.R88`).
  package var hasAmbiguousTimes: Bool { rules.contains { $0.time.zone?.shifts.count ?? 0 > 1 } }

  package static let standard = CompiledSchema(.standard, tree: standardTree, rules: [])

  package convenience init(_ definition: LogSchema) throws(SchemaProblem) {
    guard !definition.rules.isEmpty else { throw SchemaProblem("a schema needs a rule") }
    guard
      definition.usesEachRule || definition.rules.count == 1
        || definition.rules.allSatisfy({ !$0.conditions.isEmpty })
    else {
      throw SchemaProblem("a rule without conditions fits every line and must be the only rule")
    }
    if definition.rules == LogSchema.standard.rules, definition.headers.isEmpty,
      definition.wrappings.isEmpty, !definition.skipsPrefix, definition.formation == .sha256,
      definition.records.isEmpty
    {
      self.init(definition, tree: Self.standardTree, rules: [])
      return
    }
    let hasItems = !definition.records.isEmpty
    var tree = try PointerTree(
      headers: definition.headers.filter { !hasItems || !$0.isOfLine }, isOfItems: hasItems)
    for wrapping in definition.wrappings where !hasItems || !wrapping.pointer.isOfLine {
      try tree.wrap(wrapping)
    }
    var rules: [CompiledRule] = []
    for rule in definition.rules { rules.append(try CompiledRule(rule, &tree)) }
    // What tells of wrappings is examined with what is wrapped.
    for index in rules.indices { rules[index].slots |= tree.switches(of: rules[index].slots) }
    let line = hasItems ? try LineTree(definition, tree) : nil
    for tree in [tree, line?.tree].compactMap(\.self) {
      if let idle = tree.idleHeaders {
        throw SchemaProblem("no pointer goes through the headers \(idle.text)")
      }
      if let idle = tree.idleWrapping {
        throw SchemaProblem("no pointer goes to or through \(idle.text), which is to be unwrapped")
      }
    }
    self.init(definition, tree: tree, line: line, rules: rules)
  }

  private init(
    _ definition: LogSchema, tree: PointerTree, line: LineTree? = nil, rules: [CompiledRule]
  ) {
    self.definition = definition
    self.tree = tree
    self.line = line
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
      for field in LogField.allCases { _ = try tree.slot(of: JSONPointer([field.name])) }
      return tree
    } catch {
      preconditionFailure("the default schema is wrong: \(error.text)")
    }
  }()
}

/// The places of a line that has several records: its arrays of records, and the values beside them
/// that belong to each record (`records.R84`).
struct LineTree: Sendable {
  private(set) var tree: PointerTree
  /// The slots of the arrays, of which the first that is present counts; nil stands for the line
  /// itself.
  private(set) var records: [Int?] = []
  /// The slots of values of the line, in a record and here.
  private(set) var shared: [(record: Int, line: Int)] = []

  init(_ definition: LogSchema, _ items: PointerTree) throws(SchemaProblem) {
    tree = try PointerTree(headers: definition.headers.filter(\.isOfLine).map(\.local))
    for wrapping in definition.wrappings where wrapping.pointer.isOfLine {
      guard wrapping.flag?.isOfLine ?? true else {
        throw SchemaProblem("\(wrapping.flag?.text ?? "") has to start at the line, with '^'")
      }
      try tree.wrap(
        SchemaWrapping(wrapping.pointer.local, wrapping.form, flag: wrapping.flag?.local))
    }
    for pointer in definition.records {
      guard let pointer else {
        records.append(nil)
        continue
      }
      records.append(try tree.slot(of: pointer.local, raw: true))
    }
    for place in items.places {
      guard let pointer = place.ofLine, place.slot >= 0 else { continue }
      shared.append((place.slot, try tree.slot(of: pointer, raw: place.wantsRaw)))
    }
  }
}
