import AuditLog

enum DecisionWords {
  /// Returns the table of a pointer's values, or nil if one of them is no word for a decision.
  static func table(
    _ values: [String], _ kind: JSONDocument.Kind, _ name: NameWords
  ) -> ValueTable? {
    if values.allSatisfy({ status($0) != nil }) { return ValueTable.ofStatuses }
    if kind == .boolean { return flag(name) }
    let words = values.filter { !$0.isEmpty && $0.lowercased() != "unknown" }
    let entries = words.compactMap { value in word(value).map { ValueTable.Entry(value, $0) } }
    guard kind == .string, entries.count == words.count,
      entries.contains(where: { $0.word != "unknown" })
    else { return nil }
    return ValueTable(entries + opposites(of: entries))
  }

  /// Returns the words for the one decision that no value stands for, in the letters of those that are there: a day
  /// without a rejected request says nothing about other days.
  private static func opposites(of entries: [ValueTable.Entry]) -> [ValueTable.Entry] {
    let missing = WordLists.decisionWords.dropFirst().filter { decision, _ in
      !entries.contains { $0.word == decision }
    }
    guard missing.count == 1, let text = entries.first(where: { $0.word != "unknown" })?.value
    else { return [] }
    let (decision, words) = missing[missing.startIndex]
    // These are the words of the default schema.
    if entries.allSatisfy({ $0.value == $0.word }) { return [.init(decision, decision)] }
    let isTitle = text.first?.isUppercase ?? false
    let isUpper = text == text.uppercased()
    return words.map { word in
      let rest = String(word.dropFirst())
      let first = String(word.prefix(1))
      return .init(
        (isTitle ? first.uppercased() : first) + (isUpper ? rest.uppercased() : rest), decision)
    }
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
