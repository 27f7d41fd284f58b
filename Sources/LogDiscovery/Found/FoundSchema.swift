/// The mapping that was found for a log.
package struct FoundSchema {
  package var rules: [FoundRule] = []
  /// The fields of all rules.
  package var shared: [FoundField] = []
  /// The texts about fields that were not found in any line, one line each.
  package var missing: [String] = []
  /// True where client data are the clientDataHash itself.
  package var isRaw = false
  /// True where lines have text before their object.
  package var hasPrefix = false
  /// The scope of replays, `global` or `exact`.
  package var replayScope = "global"
  /// The reason for that scope.
  package var replayReason = ""
  /// The rules that an audit can read lines by. If a rule has no conditions, it is the only one.
  package var completeRules: [FoundRule] {
    let hasTime = shared.contains { $0.name == "time" }
    let complete = rules.filter { rule in
      rule.isComplete && (hasTime || rule.fields.contains { $0.name == "time" })
    }
    return complete.count == 1 ? complete : complete.filter { !$0.conditions.isEmpty }
  }
  /// Returns the number of lines that exactly one rule fits, and that have the fields of the rule.
  func covered(_ lines: [SampleLine]) -> Int {
    if isDefault {
      let tokens = rules.flatMap(\.fields).filter { $0.name == "token" }
      return lines.count { line in
        line.isDefaultRecord || tokens.contains { $0.isPresent(in: line) }
      }
    }
    let rules = completeRules
    return lines.count { line in
      let fitting = rules.filter { $0.fits(line) }
      guard fitting.count == 1 else { return false }
      let fields = (fitting[0].fields + shared).filter(\.isActive)
      let data = fields.filter { Self.dataFields.contains($0.name) }
      return fields.allSatisfy { !Self.needed.contains($0.name) || $0.isPresent(in: line) }
        && data.contains { $0.isPresent(in: line) }
    }
  }

  private static let dataFields: Set<String> = [
    "challenge", "payload", "clientData", "clientDataHash",
  ]
  /// Fields that hardly any line lacks if a log has them at all.
  private static let needed: Set<String> = ["time", "keyId", "deviceId", "token", "decision"]

  /// True where the log is in the form of the default schema.
  package var isDefault = false
}
