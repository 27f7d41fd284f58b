internal import AuditLog

/// Looks for the conditions that tell the lines of one role from all others.
struct RuleSearch {
  /// A pointer with more different texts than this tells no role.
  private static let valueLimit = 8
  /// The longest text of a condition, in bytes.
  private static let textLimit = 128
  /// A condition has to hold on this share of the role's lines.
  private static let leastShare = 0.85
  /// Of the lines that meet a condition this share has to be the role's, where the pointer's name
  /// speaks of routes and events, and where it does not.
  private static let leastPrecision = (named: 0.5, other: 0.8)
  /// Lines of other roles that may meet a condition: somebody put a token where none belongs.
  private static let strayShare = 0.03

  private static let names = [
    "event", "eventname", "eventtype", "kind", "type", "action", "operation", "op", "route", "path",
    "uri", "url", "endpoint", "name", "handler", "resource", "requesturi", "rawpath",
  ]

  /// The most pointers whose texts are tried as conditions.
  private static let conditionLimit = 24

  let sample: LogSample
  let role: Role
  /// The role's lines, by their indexes, in rising order.
  let lines: [Int]
  /// The pointers of the role's token or challenge.
  let sites: [Int]
  /// Lines of other roles.
  let rivals: [Int]
  /// Pointers that no condition may look at: times, decisions, identifiers.
  let excluded: Set<Int>

  /// The conditions, or nothing where none tell the role's lines from others.
  func conditions() -> [FoundCondition]? {
    // A token says what a line is wherever a server takes it, on routes that are yet to come, too.
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

  /// Conditions on the pointers that have few texts on the role's lines.
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
      // Keys and hashes tell no role, however few of them there are.
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

  /// Returns texts as routes, each once however it is spelled; nil where one is no route, or would
  /// stand for others.
  private static func routes(_ words: [String]) -> [RoutePattern]? {
    var routes: [RoutePattern] = []
    // A URL is known by a path that stands elsewhere.
    for word in words.filter({ $0.hasPrefix("/") }) + words.filter({ !$0.hasPrefix("/") })
    where !routes.contains(where: { $0.fits(Array(word.utf8).span) }) {
      guard !word.contains("*"), let route = try? RoutePattern(parsing: word) else { return nil }
      routes.append(route)
    }
    return routes
  }

  /// Returns whether the pointer's name speaks of routes or events.
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

  /// The condition that the fewest other lines meet, with the method beside a route.
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

  /// The lines of no role that meet conditions, but for those that have something where the role's
  /// token stands.
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

  /// That the token is there, at whichever of its pointers; nil where tokens of other roles stand
  /// there, too. Where the log has texts that stand for nothing, it is none of these.
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
    // A text that stands for nothing at the first pointer would hide what stands at the second.
    guard !hasAbsentTexts || sites.count == 1 else { return nil }
    let test = FoundCondition(
      pointers: hasAbsentTexts ? [first] : sites,
      test: hasAbsentTexts ? .isNone(Self.absentTexts) : .isPresent)
    return isDistinct([test]) ? test : nil
  }

  /// A pointer that is there on the role's lines, and not on those of others.
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
