/// How the lines of a log are mapped onto records.
package struct LogSchema: Sendable, Equatable {
  /// How a clientDataHash is formed from client data.
  package enum HashFormation: String, CaseIterable, Sendable {
    case sha256
    /// The client data itself is the hash.
    case raw
  }

  /// For messages.
  package var name: String
  /// Headers, in whatever form: their names are told apart without regard to ASCII case.
  package var headers: [JSONPointer] = []
  /// Strings that stand for others.
  package var wrappings: [SchemaWrapping] = []
  /// True where a line's object may have something in front of it.
  package var skipsPrefix = false
  package var formation = HashFormation.sha256
  /// At least one; a line is read by the one that fits.
  package var rules: [SchemaRule]

  package init(name: String, rules: [SchemaRule]) {
    self.name = name
    self.rules = rules
  }

  /// True where records may name devices.
  package var namesDevices: Bool { rules.contains { $0.fields[.deviceId] != nil } }

  /// Returns the pointers that a field has in the rules, each once, in their order.
  package func pointers(of field: LogField) -> [JSONPointer] {
    var found: [JSONPointer] = []
    for pointer in rules.flatMap({ $0.fields[field]?.pointers ?? [] })
    where !found.contains(pointer) {
      found.append(pointer)
    }
    return found
  }

  /// The schema of `records.md`: each field under its own name, the kind as the fields tell it.
  package static let standard = LogSchema(
    name: "default",
    rules: [
      SchemaRule(
        name: "rule 1", kind: .inferred,
        fields: Dictionary(
          uniqueKeysWithValues: LogField.ofDefaultSchema.map {
            ($0, FieldMapping(.pointers([JSONPointer([$0.name])])))
          }))
    ])
}

/// What one sort of line looks like, and where its fields are.
package struct SchemaRule: Sendable, Equatable {
  /// What a line that fits is.
  package enum Kind: Sendable, Equatable {
    case fixed(RecordKind)
    case deviceCheckToken
    /// What the field `kind` says, which is needed.
    case mapped
    /// What the field `kind` says where it is present, else what the other fields show, as in the
    /// default schema.
    case inferred
  }

  /// For messages.
  package var name: String
  /// All of them hold for a line that fits; none: every line fits.
  package var conditions: [SchemaCondition]
  package var kind: Kind
  package var fields: [LogField: FieldMapping]

  package init(
    name: String, conditions: [SchemaCondition] = [], kind: Kind,
    fields: [LogField: FieldMapping]
  ) {
    self.name = name
    self.conditions = conditions
    self.kind = kind
    self.fields = fields
  }
}

/// What a value has to be for a rule to fit.
package struct SchemaCondition: Sendable, Equatable {
  package enum Test: Sendable, Equatable {
    /// A string, number or boolean with one of these texts; at least one.
    case isOne(of: [String])
    /// Present, and no string, number or boolean with one of these texts; at least one.
    case isNone(of: [String])
    /// A string that is one of these routes, as lenient routers compare them; at least one.
    case isPath(of: [RoutePattern])
    /// There, and not `null`; or, where false, not.
    case isPresent(Bool)
  }
  /// The first of them that is present counts.
  package var pointers: [JSONPointer]
  package var test: Test

  package init(_ pointers: [JSONPointer], _ test: Test) {
    self.pointers = pointers
    self.test = test
  }
}
