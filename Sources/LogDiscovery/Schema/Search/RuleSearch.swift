internal import AuditLog

/// A search for the conditions that distinguish the lines of one role from all others.
struct RuleSearch {
  /// The largest number of different texts of a pointer that distinguishes a role.
  private static let valueLimit = 8
  /// The length of the longest text of a condition, in bytes.
  private static let textLimit = 128
  /// The share of the role's lines that have to meet a condition.
  private static let leastShare = 0.85
  /// The share of the lines meeting a condition that have to be the role's: for a pointer whose
  /// name refers to routes and events, and for any other.
  private static let leastPrecision = (named: 0.5, other: 0.8)
  /// The share of lines of other roles that may meet a condition, since somebody may put a token in
  /// the wrong place.
  private static let strayShare = 0.03

  private static let names = [
    "event", "eventname", "eventtype", "kind", "type", "action", "operation", "op", "route", "path",
    "uri", "url", "endpoint", "name", "handler", "resource", "requesturi", "rawpath",
  ]

  /// The largest number of pointers whose texts are tried as conditions.
  private static let conditionLimit = 24

  let sample: LogSample
  let role: Role
  /// The indexes of the role's lines, in rising order.
  let lines: [Int]
  /// The pointers of the role's token or challenge.
  let sites: [Int]
  /// The indexes of lines of other roles.
  let rivals: [Int]
  /// Pointers that no condition may use: times, decisions, identifiers.
  let excluded: Set<Int>

  /// Returns the conditions, or nil if none distinguish the role's lines from others.
  func conditions() -> [FoundCondition]? {
    // A token identifies a line wherever a server accepts it, also on routes that are added later.
    if role == .attestation || role == .assertion, let test = tokenTest() { return [test] }
    let values = valueConditions()
    let routes = values.filter { isRoute($0) }
    let words = values.filter { !isRoute($0) && !isMethod($0) }
    let method = values.first { isMethod($0) }
    if let best = best(role == .assertion ? words : words + routes, with: method) { return best }
    if role == .challenge, let test = tokenTest() { return [test] }
    if let presence = presence() { return [presence] }
    return best(routes, with: method)
  }

  // MARK: Values

  /// Returns conditions on the pointers that have few texts on the role's lines.
  private func valueConditions() -> [FoundCondition] {
    var counts: [Int: [ArraySlice<UInt8>: Int]] = [:]
    for index in lines {
      for value in sample.lines[index].values
      where value.isText && value.text.count <= Self.textLimit && !excluded.contains(value.pointer)
      {
        if counts[value.pointer]?.count ?? 0 <= 4 * Self.valueLimit {
          counts[value.pointer, default: [:]][Self.withoutQuery(value.text), default: 0] += 1
        }
      }
    }
    let conditions = counts.sorted { $0.key < $1.key }.compactMap {
      pointer, texts -> FoundCondition? in
      let least = lines.count >= Self.valueLimit ? max(2, lines.count * 3 / 100) : 1
      let kept = texts.filter { $0.value >= least && !$0.key.isEmpty }
      guard !kept.isEmpty, kept.count <= Self.valueLimit,
        Double(kept.values.reduce(0, +)) >= Double(lines.count) * Self.leastShare
      else { return nil }
      let words = kept.map { (text: String(decoding: $0.key, as: UTF8.self), lines: $0.value) }
        .sorted { ($1.lines, $0.text) < ($0.lines, $1.text) }.map(\.text)
      // Keys and hashes distinguish no role, however few of them there are.
      guard words.allSatisfy({ YAMLText.isPlainLine($0) }),
        kept.keys.allSatisfy({ ValueDecoder.digest($0) == nil })
      else { return nil }
      return FoundCondition(
        pointers: [pointer], test: Self.routes(words).map { .isPath($0) } ?? .isOne(words))
    }
    return Array(
      (conditions.filter(isNamed) + conditions.filter { !isNamed($0) }).prefix(Self.conditionLimit))
  }

  /// Returns a text without the query and the fragment that a route may have.
  private static func withoutQuery(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard text.first == UInt8(ascii: "/") else { return text }
    return text.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
  }

  /// Returns texts as routes, each once whatever its spelling. Returns nil if one is no route, or
  /// would stand for others.
  private static func routes(_ words: [String]) -> [RoutePattern]? {
    var routes: [RoutePattern] = []
    // Paths come first. A URL that one of them fits needs no route of its own.
    for word in words.filter({ $0.hasPrefix("/") }) + words.filter({ !$0.hasPrefix("/") })
    where !routes.contains(where: { $0.fits(Array(word.utf8).span) }) {
      guard !word.contains("*"), let route = try? RoutePattern(parsing: word) else { return nil }
      routes.append(route)
    }
    return routes
  }

  /// Returns whether the pointer's name refers to routes or events.
  private func isNamed(_ condition: FoundCondition) -> Bool {
    isMethod(condition)
      || NameWords(sample.pointers.meaning(condition.pointers[0])).isOne(Self.names)
  }

  private func isRoute(_ condition: FoundCondition) -> Bool {
    condition.values.allSatisfy { $0.hasPrefix("/") }
  }

  private func isMethod(_ condition: FoundCondition) -> Bool {
    condition.values.allSatisfy { RequestMethod.names.contains($0) }
  }

  /// Returns the condition that the fewest other lines meet, with the method beside a route.
  private func best(
    _ conditions: [FoundCondition], with method: FoundCondition?
  ) -> [FoundCondition]? {
    var best: (conditions: [FoundCondition], rank: (Int, Int, Int))?
    for condition in conditions {
      let all = isRoute(condition) ? [method, condition].compactMap(\.self) : [condition]
      let isNamed = isNamed(condition)
      let others = strays(all)
      let precision = Double(lines.count) / Double(max(1, lines.count + others))
      guard
        precision >= (isNamed ? Self.leastPrecision.named : Self.leastPrecision.other),
        isDistinct(all)
      else { continue }
      let rank = (
        isNamed ? 0 : 1, others + condition.values.count,
        condition.pointers.map(sample.pointers.depth).max() ?? 0
      )
      if let best, best.rank <= rank { continue }
      best = (all, rank)
    }
    return best?.conditions
  }

  /// Returns the number of lines of no role that meet conditions, without those that have a value
  /// at the place of the role's token.
  private func strays(_ conditions: [FoundCondition]) -> Int {
    var own = lines[...]
    return sample.lines.indices.count { index in
      if own.first == index {
        own.removeFirst()
        return false
      }
      let line = sample.lines[index]
      return conditions.allSatisfy { $0.holds(line) }
        && !sites.contains { line.holds($0) }
    }
  }

  /// Returns whether hardly any line of another role meets the conditions.
  private func isDistinct(_ conditions: [FoundCondition]) -> Bool {
    let fitting = rivals.count { index in
      conditions.allSatisfy { $0.holds(sample.lines[index]) }
    }
    return fitting <= max(rivals.count >= 10 ? 1 : 0, Int(Double(rivals.count) * Self.strayShare))
  }

  // MARK: Presence

  /// Texts that proxies write for a header that was not sent.
  private static let absentTexts = ["", "-"]

  /// Returns the condition that the token is present, at any of its pointers, or nil if tokens of
  /// other roles occur there, too. If the log has texts that stand for an absent token, the token
  /// must be none of these.
  private func tokenTest() -> FoundCondition? {
    guard let first = sites.first else { return nil }
    let own = Set(lines)
    let hasAbsentTexts = sample.lines.indices.contains { index in
      !own.contains(index)
        && sites.contains { site in
          guard let value = sample.lines[index][site], value.kind == .string else { return false }
          return Self.absentTexts.contains { $0.utf8.elementsEqual(value.text) }
        }
    }
    // Such a text at the first pointer would hide a value at the second.
    guard !hasAbsentTexts || sites.count == 1 else { return nil }
    let test = FoundCondition(
      pointers: hasAbsentTexts ? [first] : sites,
      test: hasAbsentTexts ? .isNone(Self.absentTexts) : .isPresent)
    return isDistinct([test]) ? test : nil
  }

  /// Returns a condition on a pointer that is present on the role's lines, and not on those of
  /// others.
  private func presence() -> FoundCondition? {
    var counts: [Int: Int] = [:]
    for index in lines {
      for value in sample.lines[index].values where value.kind != .null {
        counts[value.pointer, default: 0] += 1
      }
    }
    return counts.filter {
      Double($0.value) >= Double(lines.count) * Self.leastShare
        && isDistinct([FoundCondition(pointers: [$0.key], test: .isPresent)])
    }
    .min {
      ($1.value, sample.pointers.depth($0.key), $0.key)
        < ($0.value, sample.pointers.depth($1.key), $1.key)
    }
    .map { FoundCondition(pointers: [$0.key], test: .isPresent) }
  }
}
