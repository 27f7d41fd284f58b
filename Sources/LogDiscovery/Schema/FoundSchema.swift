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
  /// Whether lines have a time, without which no record is made.
  package var hasTime: Bool { shared.contains { $0.name == "time" } }
  /// The rules that an audit can read lines by. One without conditions stands alone.
  package var completeRules: [FoundRule] {
    guard hasTime else { return [] }
    let complete = rules.filter(\.isComplete)
    return complete.count == 1 ? complete : complete.filter { !$0.conditions.isEmpty }
  }
  /// Whether the log is in the form of the default schema.
  package var isDefault = false
}
