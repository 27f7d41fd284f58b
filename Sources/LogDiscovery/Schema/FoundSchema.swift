/// The mapping that was found.
package struct FoundSchema {
  package var rules: [FoundRule] = []
  /// The fields of all rules.
  package var shared: [FoundField] = []
  /// What was looked for in all lines and not found, one line each.
  package var missing: [String] = []
  /// Whether client data are the clientDataHash itself.
  package var isRaw = false
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
  /// Whether the log is in the form of the default schema.
  package var isDefault = false
}
