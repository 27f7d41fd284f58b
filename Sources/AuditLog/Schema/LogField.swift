/// The fields that lines are mapped onto (`records.md`), by their order here.
package enum LogField: Int, CaseIterable, Sendable {
  case time, kind, keyId, token, challenge, payload, clientData, clientDataHash, appId, subject
  case requestId, decision, platform, format
  /// The last two are not looked for by the default schema.
  case deviceId, serverCounter

  /// The fields of the default schema.
  package static let ofDefaultSchema = allCases.filter { $0.rawValue < deviceId.rawValue }

  /// The field's name in the default schema, in schema files and in reasons.
  package var name: String { String(describing: self) }

  /// Makes the field of that name.
  package init?(name: String) {
    guard let field = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = field
  }
}
