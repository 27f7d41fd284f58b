import AuditLog

enum DecisionWords {
  /// Returns the table of a pointer's values, or nil if one of them is no word for a decision.
  static func table(
    _ values: [String], _ kind: JSONDocument.Kind, _ name: NameWords
  ) -> ValueTable? {
    let statuses = values.compactMap(status)
    if statuses.count == values.count {
      let written = zip(values, statuses).filter { $0.0.utf8.count > 3 }
        .map { ValueTable.Entry($0, ValueTable.decision(ofStatus: $1)) }
      return ValueTable(written + ValueTable.ofStatuses.entries)
    }
    if kind == .boolean { return flag(name) }
    let words = values.filter { !$0.isEmpty && $0.lowercased() != "unknown" }
    let entries = words.compactMap { value in word(value).map { ValueTable.Entry(value, $0) } }
    guard kind == .string, entries.count == words.count,
      entries.contains(where: { $0.word != "unknown" })
    else { return nil }
    return ValueTable(entries)
  }

  /// Returns the meaning of `true` and `false` under a name, or nil if the name is not a decision's.
  private static func flag(_ name: NameWords) -> ValueTable? {
    for (words, yes, no) in [
      (WordLists.rejectedFlags, "rejected", "accepted"),
      (WordLists.acceptedFlags, "accepted", "rejected"),
    ]
    where name.isOne(words + WordLists.flagBeginnings.flatMap { start in words.map { start + $0 } })
    {
      return ValueTable([.init("true", yes), .init("false", no)])
    }
    return nil
  }

  /// Returns the decision that a text stands for, or nil if it is no word for one.
  static func word(_ text: String) -> String? {
    let word = text.lowercased()
    return WordLists.decisionWords.first { $0.words.contains(word) }?.decision
  }

  /// Returns the HTTP status that a text is or begins with: `200`, `200.0`, `403 Forbidden`.
  static func status(_ text: String) -> Int? {
    guard let status = Int(text.prefix(3)), (100...599).contains(status) else { return nil }
    let rest = text.dropFirst(3)
    let isWhole = rest.isEmpty || rest.first == " " || rest.wholeMatch(of: /\.0*/) != nil
    return isWhole ? status : nil
  }
}
