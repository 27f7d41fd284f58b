internal import CSimdjson

/// The conditions of all rules, in a form that lines are held against.
struct RuleChoice {
  /// A condition without anything that has to be counted.
  private struct Condition {
    var firstSlot: Int
    var slotCount: Int
    /// The index of the first text in the pool. If there are no texts, it only counts whether the
    /// value is present.
    var firstText: Int
    var textCount: Int
    /// Whether the value has to be present, or one of the texts.
    var isWanted: Bool
    /// Whether the texts are patterns of routes.
    var isPath = false
  }

  private let ruleCount: Int
  /// The index of each rule's first condition, and the number of all conditions.
  private var firstConditions: [Int] = []
  /// The conditions in the order of the rules.
  private var conditions: [Condition] = []
  private var slots: [Int] = []
  private let texts: TextPool

  init(_ rules: [CompiledRule]) {
    var texts: [[UInt8]] = []
    for rule in rules {
      firstConditions.append(conditions.count)
      for condition in rule.conditions {
        var compiled = Condition(
          firstSlot: slots.count, slotCount: condition.slots.count,
          firstText: texts.count, textCount: 0, isWanted: true)
        slots += condition.slots
        switch condition.test {
        case .isPresent(let isPresent): compiled.isWanted = isPresent
        case .isOne(let values), .isNone(let values):
          compiled.textCount = values.count
          texts += values.map { Array($0.utf8) }
        case .isPath(let patterns):
          compiled.textCount = patterns.count
          compiled.isPath = true
          texts += patterns.map(\.normal)
        }
        if case .isNone = condition.test { compiled.isWanted = false }
        conditions.append(compiled)
      }
    }
    ruleCount = rules.count
    firstConditions.append(conditions.count)
    self.texts = TextPool(texts)
  }

  /// Returns the indexes of a rule's conditions.
  private func range(_ rule: Int) -> Range<Int> {
    firstConditions[rule]..<firstConditions[rule + 1]
  }

  /// Returns the first rule from an index on whose conditions are all true for the record that was
  /// read last.
  func fit(_ line: borrowing JSONLine, from first: Int = 0) -> Int? {
    let present = line.sets.present
    for rule in first..<max(first, ruleCount)
    where range(rule).allSatisfy({ holds(conditions[$0], line, present) }) {
      return rule
    }
    return nil
  }

  /// Returns whether a rule names the route of the record that was read last.
  func fitsRoute(_ line: borrowing JSONLine, _ rule: Int) -> Bool {
    let present = line.sets.present
    return range(rule).contains { conditions[$0].isPath && holds(conditions[$0], line, present) }
  }

  /// Returns whether a rule's conditions are all true for the record that was read last, but for those about
  /// values below `null`.
  func canFit(_ line: borrowing JSONLine, _ rule: Int) -> Bool {
    let (present, hidden) = (line.sets.present, line.sets.under_null)
    return range(rule).allSatisfy {
      let condition = conditions[$0]
      return slots.first(condition.firstSlot, condition.slotCount, in: hidden) != nil
        || holds(condition, line, present)
    }
  }

  @inline(__always)
  private func holds(
    _ condition: Condition, _ line: borrowing JSONLine, _ present: UInt64
  ) -> Bool {
    let slot = slots.first(condition.firstSlot, condition.slotCount, in: present)
    guard condition.textCount > 0 else { return (slot != nil) == condition.isWanted }
    guard let slot else { return false }
    if condition.isPath { return unsafe fitsPath(condition, line.values[slot]) }
    let found = unsafe texts.index(
      of: line.values[slot], from: condition.firstText, count: condition.textCount)
    return (found != nil) == condition.isWanted
  }

  private func fitsPath(_ condition: Condition, _ value: attest_json_value) -> Bool {
    guard let bytes = unsafe value.bytes else { return false }
    let route = unsafe UnsafeBufferPointer(start: bytes, count: value.length)
    for index in condition.firstText..<(condition.firstText + condition.textCount) {
      let text = unsafe texts[index]
      let pattern = unsafe UnsafeBufferPointer(start: text.bytes, count: text.length)
      let fits = unsafe RoutePath.fits(
        Span(_unsafeElements: pattern), Span(_unsafeElements: route))
      if fits { return true }
    }
    return false
  }
}

extension [Int] {
  /// Returns the first of some slots that stands in a set.
  @inline(__always)
  func first(_ start: Int, _ count: Int, in set: UInt64) -> Int? {
    for index in start..<(start + count) {
      let slot = self[index]
      if set & (1 << UInt64(truncatingIfNeeded: slot)) != 0 { return slot }
    }
    return nil
  }
}
