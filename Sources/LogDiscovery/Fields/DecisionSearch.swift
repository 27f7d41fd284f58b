import AuditLog

/// A search for the server's decision on requests: a pointer with few different values, all of them
/// words for a decision or HTTP statuses.
enum DecisionSearch {
  /// The largest number of different values of a decision.
  private static let valueLimit = 24
  /// The inverse of the smallest share of the lines that a value must have to count.
  private static let strayShare = 50
  /// The share of the lines on which a pointer must hold a decision.
  private static let leastShare = 0.5
  /// The share of the lines on which an HTTP status must occur, since anybody can send requests
  /// that get none.
  private static let leastStatusShare = 0.1
  /// The length of the longest text of a decision, in bytes: `511 Network Authentication Required`.
  private static let textLimit = 40

  /// The values of a pointer.
  private struct Values {
    var texts: [String: Int] = [:]
    var kinds: [JSONDocument.Kind: Int] = [:]

    var count: Int { texts.values.reduce(0, +) }

    mutating func add(_ value: SampleValue) {
      let text = value.text.count <= textLimit ? value.string : ""
      if texts[text] != nil || texts.count <= valueLimit { texts[text, default: 0] += 1 }
      kinds[value.kind, default: 0] += 1
    }
  }

  /// Returns the candidates for the field `decision` of `lines`, the best first.
  ///
  /// - Parameter isClients: Returns whether a client writes the value at a pointer. An attacker
  ///   would write there that the server rejected the attack.
  static func find(
    _ lines: [SampleLine], _ pointers: PointerTable, isClients: (Int) -> Bool
  ) -> [FieldNote] {
    var places: [Int: Values] = [:]
    for value in lines.lazy.flatMap(\.values) where value.isText || value.kind == .boolean {
      places[value.pointer, default: Values()].add(value)
    }
    let found = places.sorted { $0.key < $1.key }.compactMap { pointer, values in
      isClients(pointer)
        ? nil : candidate(pointer, values, pointers, of: lines.count).map { ($0, values.texts) }
    }
    // A copy is not another candidate.
    var seen: Set<[String: Int]> = []
    let best = found.sorted { $0.0.rank > $1.0.rank }.filter { seen.insert($0.1).inserted }
    return FieldNote.ranked(best.map(\.0))
  }

  private static func candidate(
    _ pointer: Int, _ values: Values, _ pointers: PointerTable, of lines: Int
  ) -> (note: FieldNote, rank: Double)? {
    // One value of another type says nothing about the others.
    guard values.texts.count <= valueLimit,
      let kind = [.string, .number, .boolean].max(by: {
        values.kinds[$0, default: 0] < values.kinds[$1, default: 0]
      })
    else { return nil }
    let name = pointers.meaning(pointer)
    let total = values.count
    // A rare text says neither yes nor no, unless it is a word for one.
    let frequent = values.texts.filter { $0.value * strayShare > total || word($0.key) != nil }.keys
    guard var table = table(frequent.sorted(), kind, name),
      kind != .boolean || isFlagOfRequest(pointer, pointers)
    else { return nil }
    // With any other text the request is audited all the same.
    if values.kinds[.boolean] != total { table.otherwise = "unknown" }
    let isNamed = name.ends(WordLists.decisions)
    let isStatus = frequent.allSatisfy { status($0) != nil }
    let isServers = isStatus && isNamed && frequent.contains { $0.hasPrefix("2") }
    let share = Double(total) / Double(max(1, lines))
    guard share >= (isServers ? leastStatusShare : leastShare) else { return nil }
    let rank =
      share + (name.isOne(WordLists.decisions) ? 1 : isNamed ? 0.5 : 0)
      - (speaksOfRequest(pointer, pointers, isStatus: isStatus) ? 0 : 0.8)
      + (kind == .string ? 0.2 : 0) - 0.05 * Double(pointers.depth(pointer))
    guard rank > 0 else { return nil }
    let seen = values.texts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(4)
      .map { "\($0.key) on \($0.value)" }.joined(separator: ", ")
    let note = FieldNote(
      .decision, pointers.mapping(pointer, values: table), seen, isNamed ? .likely : .guess,
      on: total, of: lines)
    return (note, rank)
  }

  /// Returns whether every object around a pointer refers to the server's decision on the request.
  /// Words in the request itself have an unknown author, but an HTTP status is always the server's.
  private static func speaksOfRequest(
    _ pointer: Int, _ pointers: PointerTable, isStatus: Bool
  ) -> Bool {
    pointers.parents(of: pointer).allSatisfy { parent in
      let name = NameWords(pointers.name(parent))
      return name.contains(WordLists.statusParents)
        && (isStatus || !name.isOne(["request", "req"]))
    }
  }

  /// Returns whether a name refers to attestations and assertions, or to the outcome of their
  /// checks.
  static func speaksOfTokens(_ name: String) -> Bool {
    NameWords(name).contains(WordLists.attestations)
  }

  /// Returns whether all objects around a flag refer to the request.
  private static func isFlagOfRequest(_ pointer: Int, _ pointers: PointerTable) -> Bool {
    // The member that holds a value and its type is no object around the value.
    pointers.parents(of: pointers.holder(pointer)).map(pointers.name).allSatisfy { name in
      name.utf8.allSatisfy { (0x30...0x39).contains($0) } || speaksOfTokens(name)
        || NameWords(name).isOne(WordLists.flagParents)
    }
  }

  /// Returns the table of a pointer's values, or nil if one of them is no word for a decision.
  private static func table(
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

  /// Returns the meaning of `true` and `false` under a name, or nil if the name refers to no
  /// decision.
  private static func flag(_ name: NameWords) -> ValueTable? {
    func isOne(_ ends: [String]) -> Bool {
      name.isOne(WordLists.flagBeginnings.flatMap { start in ends.map { start + $0 } })
    }
    if isOne(WordLists.flags.rejected) {
      return ValueTable([.init("true", "rejected"), .init("false", "accepted")])
    }
    return isOne(WordLists.flags.accepted)
      ? ValueTable([.init("true", "accepted"), .init("false", "rejected")]) : nil
  }

  /// Returns the decision that a text stands for, or nil if it is no word for one.
  private static func word(_ text: String) -> String? {
    let word = text.lowercased()
    return WordLists.decisionWords.first { $0.words.contains(word) }?.decision
  }

  /// Returns the HTTP status that a text is or begins with: `200`, `200.0`, `403 Forbidden`.
  private static func status(_ text: String) -> Int? {
    guard let status = Int(text.prefix(3)), (100...599).contains(status) else { return nil }
    let rest = text.dropFirst(3)
    let isWhole = rest.isEmpty || rest.first == " " || rest.wholeMatch(of: /\.0*/) != nil
    return isWhole ? status : nil
  }
}
