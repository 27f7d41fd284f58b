/// A mapping of the lines of a log onto records.
package struct LogSchema: Sendable, Equatable {
  /// The way in which a clientDataHash is formed from client data.
  package enum HashFormation: String, CaseIterable, Sendable {
    case sha256
    /// The client data itself is the hash.
    case raw
  }

  /// The name of a schema that a pipeline file contains.
  package static let inlineName = "inline"

  package var name: String
  /// Headers, in whatever form: their names are told apart without regard to ASCII case.
  package var headers: [JSONPointer] = []
  /// Strings that stand for others.
  package var wrappings: [SchemaWrapping] = []
  /// Whether a line's object may have something in front of it.
  package var skipsPrefix = false
  package var formation = HashFormation.sha256
  /// The pointers to an array of records in the line, of which the first that is present counts;
  /// nil stands for the line itself. If there are none, each line is a record (`records.R84`).
  package var records: [JSONPointer?] = []
  /// Whether every rule that fits makes a record. Otherwise two that fit are ambiguous.
  package var usesEachRule = false
  /// The rules, at least one. A record is read by the one that fits.
  package var rules: [SchemaRule]

  package init(name: String, rules: [SchemaRule]) {
    self.name = name
    self.rules = rules
  }

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
          uniqueKeysWithValues: LogField.allCases.map {
            ($0, FieldMapping(.pointers([JSONPointer([$0.name])])))
          }))
    ])
}

/// The form of one sort of line, and the places of its fields.
package struct SchemaRule: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    case fixed(RecordKind)
    case deviceCheckToken
    /// The kind that the field `kind` says, which is needed.
    case mapped
    /// The kind that the field `kind` or, without it, the other fields show (the default schema).
    case inferred
  }

  package var name: String
  /// The conditions, all of which hold for a line that fits. If there are none, every line fits.
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

package struct SchemaCondition: Sendable, Equatable {
  package enum Test: Sendable, Equatable {
    /// A string, number or boolean with one of these texts; at least one.
    case isOne(of: [String])
    /// A value that is present and not a string, number or boolean with one of these texts.
    case isNone(of: [String])
    /// A string that is one of these routes, as lenient routers compare them; at least one.
    case isPath(of: [RoutePattern])
    /// A value that is there, and not `null`; or, where false, one that is not.
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

/// A string that stands for another one.
package struct SchemaWrapping: Sendable, Equatable {
  package enum Form: String, CaseIterable, Sendable {
    /// The base64 of its bytes, either alphabet, padded or not.
    case base64
    /// The string with percent signs and two hex digits for characters.
    case percent
    /// JSON of a string.
    case json
  }
  /// The place of the string. Pointers may go on behind it.
  package var pointer: JSONPointer
  package var form: Form
  /// The value that says whether the string is wrapped (`true`, `1`, `base64`), or nil: it always is.
  package var flag: JSONPointer?

  package init(_ pointer: JSONPointer, _ form: Form, flag: JSONPointer? = nil) {
    self.pointer = pointer
    self.form = form
    self.flag = flag
  }
}
