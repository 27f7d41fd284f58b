package import AuditLog

/// A rule for lines of one role, with the evidence for it.
package struct RuleDraft {
  package let role: Role
  /// The name for messages.
  package var name: String
  /// The shape of its lines, by its index.
  package internal(set) var shape = 0
  /// The fields that all rules of that shape have in common, and that differ from those of other
  /// shapes.
  package internal(set) var shapeFields: Set<LogField> = []
  package var conditions: [SchemaCondition]
  package var notes: [FieldNote] = []
  /// The texts about fields that were not found, one line each.
  package var missing: [String] = []
  /// The indexes of the lines from which the rule was derived.
  package var examples: [Int]

  /// Returns the rule with fields that it shares with others.
  package func rule(_ shared: [FieldNote]) -> SchemaRule {
    var fields: [LogField: FieldMapping] = [:]
    for note in shared + notes where note.isActive { fields[note.field] = note.mapping }
    return SchemaRule(name: name, conditions: conditions, kind: role.kind, fields: fields)
  }

  /// Whether an audit could make records by the rule: it has one of each set of fields that lines of
  /// its kind need.
  func isComplete(_ shared: [FieldNote]) -> Bool {
    let names = Set(rule(shared).fields.keys)
    return role.needs.allSatisfy { !names.isDisjoint(with: $0) }
  }
}

/// The schema of a log as it is found, with the evidence for each field.
package struct SchemaDraft {
  package var rules: [RuleDraft] = []
  /// The fields of all rules.
  package var shared: [FieldNote] = []
  /// The texts about fields that were not found in any line, one line each.
  package var missing: [String] = []
  package var formation = LogSchema.HashFormation.sha256
  /// Whether lines contain tokens of both kinds, so that each rule makes a record (`records.R85`).
  package var usesEachRule = false
  /// Whether lines have text before their object.
  package var hasPrefix = false
  package var replays = ReplayScopeChoice()
  /// Whether the log is in the form of the default schema.
  package var isDefault = false

  /// The rules that an audit can read lines by. If a rule has no conditions, it is the only one.
  package var completeRules: [RuleDraft] {
    let complete = rules.filter { $0.isComplete(shared) }
    return complete.count == 1 ? complete : complete.filter { !$0.conditions.isEmpty }
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
    sample.schema(
      rules.map { $0.rule(shared) }, formation: formation, skipsPrefix: hasPrefix,
      usesEachRule: usesEachRule)
  }

  /// Returns the number of lines that the schema reads.
  func covered(_ lines: [SampleLine], of sample: LogSample) -> Int {
    guard let audit = SampleAudit(schema(of: sample)) else { return 0 }
    return lines.count { audit.accounts(for: $0) }
  }

  /// Fields without which records can be audited.
  private static let optional: [LogField] = [
    .requestId, .subject, .decision, .appId, .serverCounter, .platform, .format, .clientIP,
    .userAgent, .route, .duration,
  ]
  /// The smallest number of lines in a hundred that a field has to spoil to be left out.
  private static let spoiledPercent = 1

  /// Leaves out each optional field that makes lines unreadable.
  mutating func leaveOutSpoilers(_ lines: [SampleLine], of sample: LogSample) {
    var best = covered(lines, of: sample)
    for field in Self.optional where best < lines.count {
      var without = self
      without.isDefault = false
      without.demote(field, "lines are unreadable with it")
      let count = without.covered(lines, of: sample)
      guard (count - best) * 100 >= max(1, lines.count * Self.spoiledPercent) else { continue }
      self = without
      best = count
    }
  }

  private mutating func demote(_ field: LogField, _ reason: String) {
    func demoted(_ notes: [FieldNote]) -> [FieldNote] {
      notes.map { note in
        guard note.field == field, note.isActive else { return note }
        var note = note
        note.sureness = .guess
        note.what += ", " + reason
        return note
      }
    }
    shared = demoted(shared)
    for index in rules.indices { rules[index].notes = demoted(rules[index].notes) }
  }
}
