internal import CSimdjson

/// The conditions of all rules, in a form that lines are held against.
struct RuleChoice {
  private struct Condition {
    let slots: [Int]
    /// The texts with which the value is compared. If there are none, it only counts whether it is present.
    var texts = TextPool([[UInt8]]())
    /// Whether the value has to be present, or one of the texts.
    var isWanted = true
    var isPath = false

    init(_ condition: CompiledRule.Condition) {
      slots = condition.slots
      switch condition.test {
      case .isPresent(let isPresent): isWanted = isPresent
      case .isOne(let values): texts = TextPool(values)
      case .isNone(let values): (texts, isWanted) = (TextPool(values), false)
      case .isPath(let patterns): (texts, isPath) = (TextPool(patterns.map(\.normal)), true)
      }
    }
  }

  private let rules: [[Condition]]

  init(_ rules: [CompiledRule]) { self.rules = rules.map { $0.conditions.map(Condition.init) } }

  /// Returns the first rule from an index on whose conditions are true for the record.
  func fit(_ line: borrowing JSONLine, from first: Int = 0) -> Int? {
    let present = line.sets.present
    return rules.indices.dropFirst(first).first { rule in
      rules[rule].allSatisfy { holds($0, line, present) }
    }
  }

  func fitsRoute(_ line: borrowing JSONLine, _ rule: Int) -> Bool {
    let present = line.sets.present
    return rules[rule].contains { $0.isPath && holds($0, line, present) }
  }

  /// Returns whether a rule's conditions are true for the record, except about values below `null`.
  func canFit(_ line: borrowing JSONLine, _ rule: Int) -> Bool {
    let (present, hidden) = (line.sets.present, line.sets.under_null)
    return rules[rule].allSatisfy {
      $0.slots.first($0.slots.indices, in: hidden) != nil || holds($0, line, present)
    }
  }

  @inline(__always)
  private func holds(
    _ condition: Condition, _ line: borrowing JSONLine, _ present: UInt64
  ) -> Bool {
    let slot = condition.slots.first(condition.slots.indices, in: present)
    guard condition.texts.count > 0 else { return (slot != nil) == condition.isWanted }
    guard let slot else { return false }
    if condition.isPath { return unsafe fitsPath(condition.texts, line.values[slot]) }
    let isNumber = line.sets.numbers & 1 << UInt64(slot) != 0
    let index = unsafe condition.texts.index(of: line.values[slot], isNumber: isNumber)
    return (index != nil) == condition.isWanted
  }

  private func fitsPath(_ patterns: TextPool, _ value: attest_json_value) -> Bool {
    guard unsafe value.bytes != nil else { return false }
    let route = unsafe Span(_unsafeElements: value.text)
    return (0..<patterns.count).contains { index in
      unsafe RoutePath.fits(Span(_unsafeElements: patterns[index].text), route)
    }
  }
}

extension [Int] {
  /// Returns the first of the slots at some places that is in a set.
  @inline(__always)
  func first(_ places: Range<Int>, in set: UInt64) -> Int? {
    for place in places where set & (1 << UInt64(truncatingIfNeeded: self[place])) != 0 {
      return self[place]
    }
    return nil
  }
}
