internal import CSimdjson

/// A mapper that finds the rule that fits a line, and its fields. Each reader has its own.
@safe final class SchemaMapper {
  private let schema: CompiledSchema
  private let rules: [RuleMapper]
  private let conditionSlots: UInt64
  private let switchSlots: UInt64
  private let choice: RuleChoice
  /// The values of the line at hand, and the slots they come from, by field.
  private let values: UnsafeMutablePointer<attest_json_value>
  private var sources: [Int]
  /// The rule of the line at hand, and which slots of it hold a value.
  private var chosen: RuleMapper?
  /// The rules that both fit the line at hand, where two do.
  private var rivals: (first: Int, second: Int)?
  /// The index of the first rule that was not compared with the record at hand yet.
  private var nextRule = 0
  private let usesEachRule: Bool
  private var present: UInt64 = 0

  init(_ schema: CompiledSchema) {
    self.schema = schema
    rules = schema.rules.map { RuleMapper($0, schema.definition.formation) }
    conditionSlots = schema.conditionSlots
    switchSlots = schema.switchSlots
    usesEachRule = schema.definition.usesEachRule
    choice = RuleChoice(schema.rules)
    let count = LogField.allCases.count
    unsafe values = .allocate(capacity: count)
    unsafe values.initialize(repeating: attest_json_value(bytes: nil, length: 0), count: count)
    sources = [Int](repeating: -1, count: count)
  }

  deinit { unsafe values.deallocate() }

  /// Returns the fields of the line by the rule that fits it, or nil if none does.
  func map(_ line: borrowing JSONLine) throws(Reject) -> FieldValues? {
    clear()
    if switchSlots != 0, !line.open(switchSlots) { throw Self.outOfMemory }
    try look(line, conditionSlots, nil)
    nextRule = 0
    return try mapNext(line)
  }

  /// Returns the fields of the same record by the next rule that fits it, or nil if none does.
  func mapNext(_ line: borrowing JSONLine) throws(Reject) -> FieldValues? {
    guard let index = choice.fit(line, from: nextRule) else { return nil }
    nextRule = usesEachRule ? index + 1 : rules.count
    if !usesEachRule, let second = choice.fit(line, from: index + 1) {
      rivals = (index, second)
      throw Reject(
        .ambiguousField,
        "The rules '\(rules[index].name)' and '\(rules[second].name)' both fit.")
    }
    let rule = rules[index]
    chosen = rule
    try look(line, rule.slots, rule)
    present = line.sets.present
    let kinds = unsafe rule.fill(line, values, &sources)
    return unsafe FieldValues(kinds: kinds, values: values, reading: rule.reading)
  }

  func clear() {
    nextRule = rules.count
    chosen = nil
    rivals = nil
  }

  var mostItems: Int { usesEachRule ? rules.count : 1 }

  func hasNext(_ line: borrowing JSONLine) -> Bool {
    nextRule < rules.count && choice.fit(line, from: nextRule) != nil
  }

  /// Returns how many items the record that was read last makes, without reading its fields.
  func itemCount(_ line: borrowing JSONLine) -> Int {
    guard usesEachRule, line.open(switchSlots | conditionSlots) else { return 1 }
    var count = 0
    var next = 0
    while let index = choice.fit(line, from: next) {
      count += 1
      next = index + 1
    }
    return max(1, count)
  }

  /// Looks for values at some of the slots; what occurs twice on the way is a reject.
  @inline(__always)
  private func look(
    _ line: borrowing JSONLine, _ slots: UInt64, _ rule: RuleMapper?
  ) throws(Reject) {
    guard line.open(slots) else { throw Self.outOfMemory }
    // Ambiguity comes before all else.
    guard line.sets.duplicates & slots != 0, let index = line.twice(slots) else {
      if rule != nil, line.sets.broken & slots != 0 { throw unwrapped(line.sets.broken & slots) }
      return
    }
    let place = schema.tree.places[index]
    let field = rule?.rule.fields.first { field in
      field.slots.contains { place.slots & (1 << UInt64($0)) != 0 }
    }
    let name = field.map { "\($0.field.name) (\(place.text))" } ?? place.text
    throw Reject(
      .ambiguousField, Reject.twice(name, isVariant: line.sets.variants & place.slots & slots != 0))
  }

  private static var outOfMemory: Reject {
    Reject(.malformedJSON, JSONLine.Failure.noMemory.reason())
  }

  /// Returns the reject of a line in which a string is not wrapped as the schema says.
  private func unwrapped(_ slots: UInt64) -> Reject {
    let places = schema.tree.places
    let place = places.first { $0.wrapping != nil && $0.slots & slots != 0 }
    let word = place?.wrapping.map(\.rawValue) ?? ""
    return Reject(.badEncoding, "The value at \(place?.text ?? "") is not wrapped as \(word).")
  }

  func route(_ line: borrowing JSONLine) -> [UInt8]? {
    for slot in schema.routeSlots {
      let value = line.value(slot)
      if value.kind == .string, let route = unsafe RoutePath.shape(value.text) { return route }
    }
    return nil
  }

  // MARK: Rejects

  /// The rules that might be meant for the rejected line at hand: all of them, if none was chosen.
  private var meant: [RuleMapper] {
    chosen.map { [$0] } ?? rivals.map { [rules[$0.first], rules[$0.second]] } ?? rules
  }

  /// Returns what the rejected line at hand says of the decision: what all rules that might be meant read alike.
  func decision(_ line: borrowing JSONLine) -> Decision {
    var common: Decision?
    for rule in meant {
      let decision = decision(line, rule)
      guard decision != .unknown, decision == common ?? decision else { return .unknown }
      common = decision
    }
    return common ?? .unknown
  }

  var ruleName: String? { chosen?.name }

  func hasToken(_ line: borrowing JSONLine) -> Bool {
    let present = line.sets.present
    return meant.contains { rule in
      rule.rule.fields.contains { field in
        field.field == .token && field.slots.contains { present & (1 << UInt64($0)) != 0 }
      }
    }
  }

  /// Returns what the line at hand, of which no record was made, shows of the log.
  func signs(_ line: borrowing JSONLine) -> LineSigns {
    var signs: LineSigns = []
    for (index, rule) in rules.enumerated() where rule.reading.kind != .deviceCheckToken {
      let hasRoute = choice.fitsRoute(line, index)
      guard hasRoute || choice.canFit(line, index), line.open(rule.slots) else { continue }
      if line.sets.under_null & rule.contentSlots != 0, choice.canFit(line, index) {
        signs.insert(.nullRecord)
      }
      if hasRoute, line.blank & rule.contentSlots != 0 { signs.insert(.tokenless) }
    }
    return signs
  }

  private func decision(_ line: borrowing JSONLine, _ rule: RuleMapper) -> Decision {
    let others = line.sets.repeats | line.sets.variants
    guard line.open(rule.decisionSlots), others & rule.decisionSlots == 0 else { return .unknown }
    let kinds = unsafe rule.fill(line, values, &sources)
    return unsafe FieldValues(kinds: kinds, values: values, reading: rule.reading).readDecision()
      ?? .unknown
  }

  /// Returns what is wrong with the fields of the line at hand, in terms of the log.
  func reject(_ fault: FieldFault) -> Reject {
    // A part of a template is not there.
    if let field = fault.wrongType, isTemplate(field),
      case let slot = sources[field.rawValue], slot >= 0, present & (1 << UInt64(slot)) == 0
    {
      return FieldFault.missing(field).reject(name)
    }
    return fault.reject(name)
  }

  private func field(_ field: LogField) -> CompiledRule.Field? {
    chosen?.rule.fields.first { $0.field == field }
  }

  private func isTemplate(_ field: LogField) -> Bool {
    if case .template = self.field(field)?.mapping.source { true } else { false }
  }

  /// Returns a field's name, and the pointer at which it stands, or all those that were examined.
  private func name(_ field: LogField) -> String {
    guard let slots = self.field(field)?.slots, !slots.isEmpty else { return field.name }
    let source = sources[field.rawValue]
    let pointers = (source >= 0 ? [source] : slots).map {
      schema.tree.places[schema.tree.slotPlaces[$0]].text
    }
    return "\(field.name) (\(pointers.joined(separator: ", ")))"
  }
}
