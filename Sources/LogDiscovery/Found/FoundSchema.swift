/// The mapping that was found.
package struct FoundSchema {
  package var rules: [FoundRule] = []
  /// The fields of all rules.
  package var shared: [FoundField] = []
  /// What was looked for in all lines and not found, one line each.
  package var missing: [String] = []
  /// True where client data are the clientDataHash itself.
  package var isRaw = false
  /// True where something stands in front of a line's object.
  package var hasPrefix = false
  /// `global` or `exact`.
  package var replayScope = "global"
  /// Why that scope.
  package var replayReason = ""
  /// The rules that an audit can read lines by. One without conditions stands alone.
  package var completeRules: [FoundRule] {
    let hasTime = shared.contains { $0.name == "time" }
    let complete = rules.filter { rule in
      rule.isComplete && (hasTime || rule.fields.contains { $0.name == "time" })
    }
    return complete.count == 1 ? complete : complete.filter { !$0.conditions.isEmpty }
  }
  /// Counts the lines that one rule alone fits, and that have what it looks for.
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
  /// Fields that hardly any line lacks, where a log has them at all.
  private static let needed: Set<String> = ["time", "keyId", "deviceId", "token", "decision"]

  /// True where the log is in the form of the default schema.
  package var isDefault = false
}
