import AuditLog

/// A check whether a log is in the form of the default schema (`records.R12`).
enum DefaultForm {
  /// The share of the lines with tokens that have to read as records, in percent.
  private static let leastPercent = 80

  /// Returns whether every field that was found is at the place where the default schema expects
  /// it, and the lines read as its records.
  static func fits(_ search: SchemaSearch) -> Bool {
    let draft = search.draft
    var schema = LogSchema.standard
    schema.skipsPrefix = draft.hasPrefix
    guard draft.formation == .sha256, search.tokens.devices == nil, search.sample.records == nil,
      let audit = SampleAudit(schema),
      draft.rules.contains(where: { $0.role.hasToken }),
      draft.rules.allSatisfy({ $0.role != .deviceCheckToken })
    else { return false }
    let notes = (draft.rules.flatMap(\.notes) + draft.shared).filter(\.isActive)
    guard notes.allSatisfy(isDefault) else { return false }
    let lines = Set(search.tokens.kinds.flatMap(\.lines.tokens).map(\.line))
    let records = lines.count {
      if case .record = audit.read(search.sample.lines[$0]) { true } else { false }
    }
    return records * 100 >= lines.count * leastPercent
  }

  private static func isDefault(_ note: FieldNote) -> Bool {
    let mapping = note.mapping
    guard case .pointers(let places) = mapping.source, mapping.time.pattern == nil,
      mapping.time.zone == nil, [nil, .s, .ms].contains(mapping.time.unit),
      mapping.values?.entries.allSatisfy({ $0.value == $0.word }) ?? true
    else { return false }
    let field: LogField
    switch (note.field, mapping.encoding) {
    // A field with a single form is named by its purpose and not by its encoding.
    case (.clientData, .utf8): field = .payload
    case (.challenge, .base64): field = .clientData
    case (_, nil), (.clientDataHash, .hex), (.clientDataHash, .base64): field = note.field
    default: return false
    }
    return places == [JSONPointer([field.name])]
  }
}
