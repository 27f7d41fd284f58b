/// A rule that was found.
package struct FoundRule {
  package var role: Role
  /// For messages.
  package var name: String
  /// The shape of its lines, by its index.
  package internal(set) var shape = 0
  /// The names of those of its fields that all rules of that shape have alike, and those of other
  /// shapes do not.
  package internal(set) var shapeFields: Set<String> = []
  package var conditions: [FoundCondition]
  package var fields: [FoundField]
  /// What was looked for and not found, one line each.
  package var missing: [String]
  /// The lines that showed the way, by their indexes.
  package var examples: [Int]

  /// True where an audit could make records by the rule: it has what lines of its kind need.
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

  /// Returns whether all conditions hold of a line.
  package func fits(_ line: SampleLine) -> Bool { conditions.allSatisfy { $0.holds(line) } }
}
