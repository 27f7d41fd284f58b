internal import CSimdjson

/// A rule in the form that lines are held against, with what it needs for the line at hand. Used by
/// one thread.
@safe final class RuleMapper {
  /// A condition without anything that has to be counted.
  private struct Condition {
    var firstSlot: Int
    var slotCount: Int
    /// Texts of the pool; none: only whether the value is present counts.
    var firstText: Int
    var textCount: Int
    /// Whether the value has to be present, or one of the texts.
    var isWanted: Bool
  }

  /// A field, likewise.
  private struct Field {
    enum Mode { case plain, raw, words, template, constant }
    var field: LogField
    var mode: Mode
    /// The slots looked at.
    var firstSlot: Int
    var slotCount: Int
    /// Of words, rooms or constants.
    var extra: Int
  }

  let rule: CompiledRule
  /// How the fields are read.
  private(set) var reading = FieldValues.Reading()
  private let conditions: UnsafeMutableBufferPointer<Condition>
  private let fields: UnsafeMutableBufferPointer<Field>
  private let slots: UnsafeMutableBufferPointer<Int>
  private let conditionTexts: TextPool
  private let constants: TextPool
  private let words: [ValueWords]
  private let templates: [TemplateMapper]

  init(_ rule: CompiledRule) {
    self.rule = rule
    var texts: [String] = []
    var slots: [Int] = []
    let conditions = rule.conditions.map { condition in
      var compiled = Condition(
        firstSlot: slots.count, slotCount: condition.slots.count, firstText: texts.count,
        textCount: 0, isWanted: true)
      slots += condition.slots
      switch condition.test {
      case .isPresent(let isPresent): compiled.isWanted = isPresent
      case .isOne(let values), .isNone(let values):
        compiled.textCount = values.count
        texts += values
      }
      if case .isNone = condition.test { compiled.isWanted = false }
      return compiled
    }
    conditionTexts = TextPool(texts)
    unsafe self.conditions = Self.copy(conditions)
    var constants: [String] = []
    var words: [ValueWords] = []
    var templates: [TemplateMapper] = []
    var fields: [Field] = []
    for field in rule.fields {
      unsafe reading.encodings[field.field.rawValue] = field.encoding
      var compiled = Field(
        field: field.field, mode: .plain, firstSlot: slots.count, slotCount: 0, extra: 0)
      switch field.source {
      case .slots(let own):
        compiled.slotCount = own.count
        slots += own
        if field.encoding == .raw { compiled.mode = .raw }
        if let table = field.values {
          compiled.mode = .words
          compiled.extra = words.count
          words.append(ValueWords(table))
        }
      case .template(let parts):
        compiled.mode = .template
        compiled.extra = templates.count
        templates.append(TemplateMapper(parts))
      case .constant(let text):
        compiled.mode = .constant
        compiled.extra = constants.count
        constants.append(text)
      }
      fields.append(compiled)
    }
    unsafe self.slots = Self.copy(slots)
    unsafe self.fields = Self.copy(fields)
    self.constants = TextPool(constants)
    self.words = words
    self.templates = templates
    reading.kind = rule.kind
    reading.unit = rule.unit
    reading.clientDataField = Self.clientDataField(rule)
  }

  deinit {
    reading.deallocate()
    unsafe conditions.deallocate()
    unsafe fields.deallocate()
    unsafe slots.deallocate()
  }

  /// Says how a clientDataHash is formed.
  func form(_ formation: LogSchema.HashFormation) { reading.formation = formation }

  private static func copy<Element>(_ elements: [Element]) -> UnsafeMutableBufferPointer<Element> {
    let buffer = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
    _ = unsafe buffer.initialize(fromContentsOf: elements)
    return unsafe buffer
  }

  /// The field to name where a line has no client data: the one that the rule maps.
  private static func clientDataField(_ rule: CompiledRule) -> LogField? {
    guard case .fixed(let kind) = rule.kind else { return nil }
    return [FieldValues.textField(kind), .clientData, .clientDataHash].first { field in
      rule.fields.contains { $0.field == field }
    }
  }

  // MARK: The line at hand

  /// Whether the line that was read last is of this rule.
  func fits(_ line: borrowing JSONLine) -> Bool {
    let sets = line.sets
    for index in unsafe 0..<conditions.count {
      let condition = unsafe conditions[index]
      let slot = firstPresent(condition.firstSlot, condition.slotCount, sets.present)
      if condition.textCount == 0 {
        guard (slot != nil) == condition.isWanted else { return false }
      } else {
        guard let slot else { return false }
        let text = unsafe line.values[slot]
        let found = unsafe conditionTexts.index(
          of: text, from: condition.firstText, count: condition.textCount)
        guard (found != nil) == condition.isWanted else { return false }
      }
    }
    return true
  }

  /// Finds the fields of the line that was read last: their values go to `values`, by field, and the
  /// slots that they come from to `sources`, -1 for none.
  func fill(
    _ line: borrowing JSONLine, _ values: UnsafeMutablePointer<attest_json_value>,
    _ sources: UnsafeMutablePointer<Int>
  ) -> FieldKinds {
    let sets = line.sets
    var kinds = FieldKinds(strings: [], numbers: [], others: [])
    for index in unsafe 0..<fields.count {
      let field = unsafe fields[index]
      let place = field.field.rawValue
      let bit = FieldSet(field.field)
      unsafe sources[place] = -1
      switch field.mode {
      case .constant:
        unsafe values[place] = constants[field.extra]
        kinds.strings.insert(bit)
        continue
      case .template:
        if let text = unsafe templates[field.extra].fill(line, sets) {
          unsafe values[place] = text
          kinds.strings.insert(bit)
        } else {
          unsafe sources[place] = templates[field.extra].missingSlot
          kinds.others.insert(bit)
        }
        continue
      case .plain, .raw, .words: break
      }
      guard let slot = firstPresent(field.firstSlot, field.slotCount, sets.present) else {
        continue
      }
      unsafe sources[place] = slot
      unsafe values[place] = line.values[slot]
      let slotBit: UInt64 = 1 << UInt64(slot)
      if field.mode == .plain {
        if sets.strings & slotBit != 0 {
          kinds.strings.insert(bit)
        } else if sets.numbers & slotBit != 0, place != 0 || reading.unit != .rfc3339 {
          kinds.numbers.insert(bit)
        } else {
          kinds.others.insert(bit)
        }
      } else if field.mode == .raw {
        let raw = unsafe line.raw(slot)
        unsafe values[place] = attest_json_value(bytes: raw.baseAddress, length: raw.count)
        kinds.strings.insert(bit)
      } else {
        unsafe take(word: field, values + place, bit, &kinds)
      }
    }
    return kinds
  }

  /// The first of some slots that holds a value.
  private func firstPresent(_ first: Int, _ count: Int, _ present: UInt64) -> Int? {
    for index in first..<(first + count) {
      let slot = unsafe slots[index]
      if present & (1 << UInt64(slot)) != 0 { return slot }
    }
    return nil
  }

  /// Puts the word that a value stands for in its place.
  private func take(
    word field: Field, _ value: UnsafeMutablePointer<attest_json_value>, _ bit: FieldSet,
    _ kinds: inout FieldKinds
  ) {
    // Objects and arrays have no text.
    guard unsafe value.pointee.bytes != nil else {
      kinds.others.insert(bit)
      return
    }
    switch unsafe words[field.extra].meaning(of: value.pointee) {
    case .nothing: return
    case .word(let word): unsafe value.pointee = words[field.extra][word]
    case .unlisted: unsafe value.pointee = attest_json_value(bytes: nil, length: 0)
    }
    kinds.strings.insert(bit)
  }
}
