internal import CSimdjson

/// A rule in the form that lines are compared with. Used by one thread.
final class RuleMapper {
  /// A field without anything that has to be counted.
  private struct Field {
    enum Mode { case plain, raw, words, template, constant }
    var field: LogField
    var mode: Mode
    /// The slots examined: their places among those of all fields.
    var slots: Range<Int>
    /// The index among the words, templates or constants.
    var extra: Int
    /// Whether bytes that are no UTF-8 are as good as others.
    var takesBytes: Bool
  }

  let rule: CompiledRule
  var name: String { rule.definition.name }
  /// The slots of all fields, a bit each.
  let slots: UInt64
  let decisionSlots: UInt64
  private let tokenSlots: UInt64
  /// The slots of token and client data, a bit each.
  let contentSlots: UInt64
  let reading: FieldValues.Reading
  private var fields: [Field] = []
  private var fieldSlots: [Int] = []
  private let constants: TextPool
  private let words: [ValueWords]
  private let templates: [TemplateMapper]
  /// The fields that have zero bytes if they are absent.
  private let emptyFields: FieldSet
  private let emptyText = TextPool([""])

  init(_ rule: CompiledRule, _ formation: LogSchema.HashFormation) {
    self.rule = rule
    reading = FieldValues.Reading(time: rule.time)
    reading.formation = formation
    var constants: [String] = []
    var words: [ValueWords] = []
    var templates: [TemplateMapper] = []
    for field in rule.fields {
      reading.encodings[field.field.rawValue] = field.encoding
      var compiled = Field(
        field: field.field, mode: .plain, slots: 0..<0, extra: 0,
        takesBytes: [.challenge, .payload, .clientData].contains(field.field))
      switch field.mapping.source {
      case .pointers:
        compiled.slots = fieldSlots.count..<(fieldSlots.count + field.slots.count)
        fieldSlots += field.slots
        if field.encoding == .raw { compiled.mode = .raw }
        if let table = field.mapping.values {
          compiled.mode = .words
          compiled.extra = words.count
          words.append(ValueWords(table))
        }
      case .template(let parts):
        compiled.mode = .template
        compiled.extra = templates.count
        templates.append(
          TemplateMapper(parts, field.slots, takesAbsent: field.mapping.isEmptyIfAbsent))
      case .constant(let text):
        compiled.mode = .constant
        compiled.extra = constants.count
        constants.append(text)
      }
      fields.append(compiled)
    }
    self.slots = rule.slots
    func bits(of names: [LogField]) -> UInt64 {
      rule.fields.filter { names.contains($0.field) }.flatMap(\.slots)
        .reduce(0) { $0 | 1 << UInt64($1) }
    }
    decisionSlots = bits(of: [.decision])
    tokenSlots = bits(of: [.token])
    contentSlots = bits(of: [.token, .challenge, .payload, .clientData])
    self.constants = TextPool(constants)
    self.words = words
    self.templates = templates
    reading.kind = rule.definition.kind
    reading.durationUnit = rule.definition.fields[.duration]?.time.unit ?? .s
    emptyFields = rule.fields.filter(\.mapping.isEmptyIfAbsent).reduce([]) {
      $0.union(FieldSet($1.field))
    }
    reading.clientDataField = Self.clientDataField(rule)
  }

  /// Returns the field to name where a line has no client data: the one that the rule maps.
  private static func clientDataField(_ rule: CompiledRule) -> LogField? {
    guard case .fixed(let kind) = rule.definition.kind else { return nil }
    return [FieldValues.textField(kind), .clientData, .clientDataHash]
      .first { rule.definition.fields[$0] != nil }
  }

  // MARK: The line at hand

  /// Finds the fields of the line, by field, and the slots that they come from, -1 for none.
  func fill(
    _ line: borrowing JSONLine, _ values: UnsafeMutablePointer<attest_json_value>,
    _ sources: inout [Int]
  ) -> FieldKinds {
    let sets = line.sets
    let present = sets.present
    var kinds = FieldKinds(strings: [], numbers: [], others: [])
    for field in fields {
      let place = field.field.rawValue
      let bit = FieldSet(field.field)
      sources[place] = -1
      switch field.mode {
      case .constant:
        unsafe values[place] = constants[field.extra]
        kinds.strings.insert(bit)
        continue
      case .template:
        // A line without either part of an assertion has no token.
        if field.field == .token, present & tokenSlots == 0 { continue }
        if let text = unsafe templates[field.extra].fill(line, sets) {
          unsafe values[place] = text
          kinds.strings.insert(bit)
        } else {
          sources[place] = templates[field.extra].missingSlot
          kinds.others.insert(bit)
        }
        continue
      case .plain, .raw, .words: break
      }
      var slots = present
      if field.field == .requestId || field.field == .time && field.slots.count > 1 {
        slots &= ~placeholders(field, line, present)
      }
      guard let slot = fieldSlots.first(field.slots, in: slots) else {
        continue
      }
      sources[place] = slot
      unsafe values[place] = line.values[slot]
      let slotBit: UInt64 = 1 << UInt64(slot)
      if field.mode == .plain {
        if sets.strings & slotBit != 0, sets.binary & slotBit == 0 || field.takesBytes {
          kinds.strings.insert(bit)
        } else if sets.numbers & slotBit != 0, place != 0 || reading.time.unit != .rfc3339 {
          kinds.numbers.insert(bit)
        } else {
          kinds.others.insert(bit)
        }
      } else if field.mode == .raw {
        let raw = unsafe line.raw(slot)
        unsafe values[place] = attest_json_value(bytes: raw.baseAddress, length: raw.count)
        kinds.strings.insert(bit)
      } else {
        if sets.others & slotBit != 0, unsafe Self.isContainer(values[place]) {
          kinds.others.insert(bit)
        } else {
          unsafe take(word: field, values + place, bit, &kinds)
        }
      }
    }
    if !emptyFields.isEmpty, kinds.present.isDisjoint(with: Self.clientData) {
      // One of them is the client data of the record's kind; a rule maps one as a rule.
      for field in LogField.allCases where emptyFields.contains(FieldSet(field)) {
        unsafe values[field.rawValue] = emptyText[0]
        kinds.strings.insert(FieldSet(field))
        break
      }
    }
    if reading.kind == .inferred { kinds.shadows = shadows(present | line.sets.shadows) }
    return kinds
  }

  private static let clientData: FieldSet = [.challenge, .payload, .clientData]

  /// Returns the slots whose value stands for an absent one (`records.R22`), as a time of 0 does.
  private func placeholders(
    _ field: Field, _ line: borrowing JSONLine, _ present: UInt64
  ) -> UInt64 {
    var placeholders: UInt64 = 0
    for slot in fieldSlots[field.slots] {
      let bit: UInt64 = 1 << UInt64(slot)
      guard present & bit != 0 else { continue }
      let text = unsafe line.values[slot].text
      let isPlaceholder =
        unsafe field.field == .time
        ? text.elementsEqual("0".utf8) : FieldValues.isPlaceholder(text)
      if isPlaceholder { placeholders |= bit }
    }
    return placeholders
  }

  /// Returns the fields with something in one of these slots, be it `null`.
  private func shadows(_ standing: UInt64) -> FieldSet {
    var shadows = FieldSet()
    for field in fields
    where fieldSlots.first(field.slots, in: standing) != nil {
      shadows.insert(FieldSet(field.field))
    }
    return shadows
  }

  private static func isContainer(_ value: attest_json_value) -> Bool {
    unsafe value.bytes.map { unsafe $0[0] == UInt8(ascii: "{") || $0[0] == UInt8(ascii: "[") }
      ?? true
  }

  private func take(
    word field: Field, _ value: UnsafeMutablePointer<attest_json_value>, _ bit: FieldSet,
    _ kinds: inout FieldKinds
  ) {
    switch unsafe words[field.extra].meaning(of: value.pointee) {
    case .nothing: return
    case .word(let word): unsafe value.pointee = words[field.extra][word]
    case .unlisted: unsafe value.pointee = attest_json_value(bytes: nil, length: 0)
    }
    kinds.strings.insert(bit)
  }
}
