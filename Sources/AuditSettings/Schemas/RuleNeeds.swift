import AuditLog

/// A check that a rule maps the fields that its lines need, and no others.
struct RuleNeeds {
  let rule: SchemaRule
  /// The fields of the rule itself.
  let own: [LogField: FieldMapping]

  /// The fault, as text behind the rule's name, or nil if there is none.
  var problem: String? {
    switch rule.kind {
    case .fixed(let kind):
      if let field = foreign(Self.fields(of: kind)) {
        return "is \(Self.article(kind)), which has no \(field.name)"
      }
      return missing(kind).map { "is \(Self.article(kind)), and maps no \($0)" }
    case .deviceCheckToken:
      if let field = foreign(Self.tokenFields) {
        return "is a DeviceCheck token, which has no \(field.name)"
      }
      return has(.token) ? nil : "is a DeviceCheck token, and maps no token"
    case .mapped, .inferred:
      let words = self.words
      for word in words {
        let kind = SchemaRuleReader.kinds.first { $0.name == word }?.kind
        if case .fixed(let kind)? = kind, let field = missing(kind) {
          return "may be \(Self.article(kind)), and maps no \(field)"
        }
        if kind == .deviceCheckToken, !has(.token) {
          return "may be a DeviceCheck token, and maps no token"
        }
      }
      let kinds: [RecordKind] = [.attestation, .assertion, .challenge]
      guard words.isEmpty, kinds.allSatisfy({ missing($0) != nil }) else { return nil }
      return "maps too little for any kind: \(missing(.assertion) ?? "") for an assertion, "
        + "\(missing(.attestation) ?? "") for an attestation"
    }
  }

  /// The words that the kind's value table may give.
  private var words: [String] {
    guard let table = rule.fields[.kind]?.values else { return [] }
    return table.entries.map(\.word) + (table.otherwise.map { [$0] } ?? [])
  }

  private func has(_ field: LogField) -> Bool { rule.fields[field] != nil }

  /// Returns a field of the rule's own that lines of its kind do not use.
  private func foreign(_ known: Set<LogField>) -> LogField? {
    LogField.allCases.first { own[$0] != nil && !known.contains($0) }
  }

  /// Returns a field that a kind needs and the rule does not map.
  private func missing(_ kind: RecordKind) -> String? {
    guard has(.time) else { return "time" }
    switch kind {
    case .challenge: return has(.challenge) ? nil : "challenge"
    case .attestation:
      guard has(.keyId) else { return "keyId" }
      guard has(.token) else { return "token" }
      return has(.challenge) || has(.clientData) || has(.clientDataHash)
        ? nil : "client data (challenge, clientData or clientDataHash)"
    case .assertion:
      guard has(.keyId) || has(.deviceId) else { return "keyId or deviceId" }
      guard has(.token) else { return "token" }
      return has(.payload) || has(.clientData) || has(.clientDataHash)
        ? nil : "client data (payload, clientData or clientDataHash)"
    }
  }

  private static func article(_ kind: RecordKind) -> String {
    switch kind {
    case .attestation: "an attestation"
    case .assertion: "an assertion"
    case .challenge: "a challenge"
    }
  }

  private static let commonFields: Set<LogField> = [
    .time, .appId, .subject, .requestId, .clientIP, .userAgent, .route, .duration, .decision,
    .platform, .format,
  ]

  private static let tokenFields = commonFields.union([.token, .deviceId])

  private static func fields(of kind: RecordKind) -> Set<LogField> {
    switch kind {
    case .challenge: commonFields.union([.challenge, .token])
    case .attestation:
      commonFields.union([.keyId, .token, .deviceId, .challenge, .clientData, .clientDataHash])
    case .assertion:
      commonFields.union([
        .keyId, .token, .deviceId, .serverCounter, .payload, .clientData, .clientDataHash,
      ])
    }
  }
}
