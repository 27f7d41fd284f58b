/// A rule for lines of one role.
package struct FoundRule {
  package var role: Role
  /// The name for messages.
  package var name: String
  /// The shape of its lines, by its index.
  package internal(set) var shape = 0
  /// The names of the fields that all rules of that shape have in common, and that differ from
  /// those of other shapes.
  package internal(set) var shapeFields: Set<String> = []
  package var conditions: [FoundCondition]
  package var fields: [FoundField]
  /// The texts about fields that were not found, one line each.
  package var missing: [String]
  /// The indexes of the lines from which the rule was derived.
  package var examples: [Int]

  /// True where an audit could make records by the rule: it has the fields that lines of its kind
  /// need.
  package var isComplete: Bool {
    let names = Set(fields.filter(\.isActive).map(\.name))
    let hasData = !names.isDisjoint(with: ["challenge", "clientData", "clientDataHash"])
    switch role {
    case .attestation: return names.isSuperset(of: ["keyId", "token"]) && hasData
    case .assertion:
      return names.contains("token") && hasData
        && (names.contains("keyId") || names.contains("deviceId"))
    case .challenge: return names.contains("challenge")
    case .deviceCheckToken: return names.contains("token")
    }
  }

  /// Returns whether a line meets all conditions.
  package func fits(_ line: SampleLine) -> Bool { conditions.allSatisfy { $0.holds(line) } }
}
