package import AuditLog

/// The role of a log's line in an audit.
package enum Role: CaseIterable, Sendable {
  case attestation, assertion, challenge, deviceCheckToken

  package var kind: SchemaRule.Kind {
    switch self {
    case .attestation: .fixed(.attestation)
    case .assertion: .fixed(.assertion)
    case .challenge: .fixed(.challenge)
    case .deviceCheckToken: .deviceCheckToken
    }
  }

  /// Sets of fields, one of each of which a rule for the role needs.
  var needs: [Set<LogField>] {
    switch self {
    case .attestation: [[.time], [.keyId], [.token], [.challenge, .clientData, .clientDataHash]]
    case .assertion:
      [[.time], [.keyId, .deviceId], [.token], [.payload, .clientData, .clientDataHash]]
    case .challenge: [[.time], [.challenge]]
    case .deviceCheckToken: [[.time], [.token]]
    }
  }

  /// Whether its lines hold an attestation or an assertion.
  package var hasToken: Bool { self == .attestation || self == .assertion }

  package var ruleName: String {
    self == .deviceCheckToken ? "device check" : String(describing: self)
  }

  package var plural: String { self == .deviceCheckToken ? "DeviceCheck tokens" : "\(self)s" }
}

/// A rule for lines of one role, with the evidence for it.
package struct RuleDraft {
  package let role: Role
  package var name: String
  /// The shape of its lines, by its index.
  package internal(set) var shape = 0
  /// The fields that the rules of that shape share, and that differ from other shapes'.
  package internal(set) var shapeFields: Set<LogField> = []
  package var conditions: [SchemaCondition]
  package var notes: [FieldNote] = []
  /// The texts about fields that were not found, one line each.
  package var missing: [String] = []
  /// Whether the keys of its tokens are known, but not what these signed.
  var lacksData = false
  /// The number of lines whose client data are in another form than the rule reads.
  package internal(set) var unproven = 0
  /// The indexes of the lines from which the rule was derived.
  package var examples: [Int]

  /// Returns the rule with fields that it shares with others.
  package func rule(_ shared: [FieldNote]) -> SchemaRule {
    var fields: [LogField: FieldMapping] = [:]
    for note in shared + notes where note.isActive { fields[note.field] = note.mapping }
    return SchemaRule(name: name, conditions: conditions, kind: role.kind, fields: fields)
  }
}

/// The schema of a log as it is found, with the evidence for each field.
package struct SchemaDraft {
  package var rules: [RuleDraft] = []
  package var shared: [FieldNote] = []
  /// The texts about fields that were not found in any line, one line each.
  package var missing: [String] = []
  package var formation = LogSchema.HashFormation.sha256
  /// Whether lines contain tokens of both kinds, so that each rule makes a record (`records.R85`).
  package var usesEachRule = false
  package var hasPrefix = false
  package var replays = ReplayScopeChoice()
  /// The number of lines that each request has, if there are several, and a condition that chooses one of them.
  package internal(set) var repetition: (lines: Int, condition: SchemaCondition)?
  /// Whether the log is in the form of the default schema.
  package var isDefault = false

  /// Whether conditions distinguish the lines of each rule from those of the others.
  var isDistinct: Bool { rules.count < 2 || rules.allSatisfy { !$0.conditions.isEmpty } }

  /// Whether no conditions distinguish lines with tokens of one kind from those of the other.
  package var lacksKind: Bool {
    let rules = rules.filter(\.role.hasToken)
    return !isDefault && rules.count > 1 && rules.contains(where: \.conditions.isEmpty)
  }

  /// The rules that an audit can read lines by. If a rule has no conditions, it is the only one.
  package var completeRules: [RuleDraft] {
    let complete = rules.filter { rule in
      let names = Set(rule.rule(shared).fields.keys)
      return rule.role.needs.allSatisfy { !names.isDisjoint(with: $0) }
    }
    return complete.count == 1 && !lacksKind
      ? complete : complete.filter { !$0.conditions.isEmpty }
  }

  /// Returns the schema of the log, or nil if no rule is complete.
  package func schema(of sample: LogSample) -> LogSchema? {
    if isDefault {
      var schema = LogSchema.standard
      schema.skipsPrefix = hasPrefix
      return schema
    }
    let complete = completeRules
    return complete.isEmpty ? nil : schema(complete, of: sample)
  }

  /// Returns the schema of some of the rules, complete or not.
  package func schema(_ rules: [RuleDraft], of sample: LogSample) -> LogSchema {
    var schema = sample.schema(rules.map { $0.rule(shared) }, skipsPrefix: hasPrefix)
    schema.formation = formation
    schema.usesEachRule = usesEachRule && rules.count > 1
    return schema
  }

  func covered(_ lines: [SampleLine], of sample: LogSample) -> Int {
    guard let audit = SampleAudit(schema(of: sample)) else { return 0 }
    return lines.count(where: audit.reads)
  }

  /// Leaves out each optional field that makes one in a hundred lines unreadable.
  mutating func leaveOutSpoilers(_ lines: [SampleLine], of sample: LogSample) {
    let optional: [LogField] = [
      .requestId, .subject, .decision, .appId, .serverCounter, .platform, .format, .clientIP,
      .userAgent, .route, .duration,
    ]
    var best = covered(lines, of: sample)
    for field in optional where best < lines.count {
      var without = self
      without.isDefault = false
      without.shared = Self.demoted(shared, field)
      for index in rules.indices {
        without.rules[index].notes = Self.demoted(rules[index].notes, field)
      }
      let count = without.covered(lines, of: sample)
      guard (count - best) * 100 >= max(1, lines.count) else { continue }
      self = without
      best = count
    }
  }

  private static func demoted(_ notes: [FieldNote], _ field: LogField) -> [FieldNote] {
    notes.map { note in
      guard note.field == field, note.isActive else { return note }
      var note = note
      note.sureness = .guess
      note.what += ", lines are unreadable with it"
      return note
    }
  }
}
