internal import AuditLog

/// A check whether a log is in the form of the default schema (`records.md`).
enum DefaultForm {
  /// The share of the lines with tokens that have to read as records.
  private static let leastShare = 0.8

  /// Returns whether every field that was found is at the place where the default schema expects
  /// it, and the lines read as its records.
  static func fits(_ search: SchemaSearch) -> Bool {
    let schema = search.schema
    let rules = schema.rules
    guard !schema.isRaw, search.tokens.devices == nil,
      rules.contains(where: { $0.role == .attestation || $0.role == .assertion }),
      rules.allSatisfy({ $0.role != .deviceCheckToken })
    else { return false }
    let fields = (rules.flatMap(\.fields) + schema.shared).filter(\.isActive)
    guard fields.allSatisfy({ isDefault($0, search.sample.pointers) }) else { return false }
    let lines = Set(
      [Role.attestation, .assertion].flatMap { search.tokenLines($0)?.tokens.map(\.line) ?? [] })
    let records = lines.count { search.sample.lines[$0].isDefaultRecord }
    return Double(records) >= Double(lines.count) * leastShare
  }

  private static func isDefault(_ field: FoundField, _ pointers: PointerTable) -> Bool {
    switch field.form {
    case .template: return false
    case .table(let pointer, let table, _):
      return pointers.text(pointer) == "/" + field.name
        && table.allSatisfy { $0.text == $0.word }
    case .pointers(let numbers, let encoding, let time):
      guard time?.pattern == nil, time?.zone == nil,
        time?.unit == nil || time?.unit == .s || time?.unit == .ms, numbers.count == 1,
        let number = numbers.first
      else { return false }
      let name: String
      switch (field.name, encoding) {
      // A field with a single form is named by its purpose and not by its encoding.
      case ("clientData", "utf8"): name = "payload"
      case ("challenge", "base64"): name = "clientData"
      case ("challenge", "utf8"), ("payload", "utf8"), ("clientData", "base64"), (_, nil),
        ("clientDataHash", "hex"), ("clientDataHash", "base64"):
        name = field.name
      default: return false
      }
      return pointers.text(number) == "/" + name
    }
  }
}
