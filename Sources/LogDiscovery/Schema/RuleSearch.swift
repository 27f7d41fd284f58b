internal import AuditLog
import Basics

/// A search for the conditions that distinguish the lines of one role from all others.
struct RuleSearch {
  /// The largest number of different texts of a pointer that distinguishes a role.
  private static let valueLimit = 8
  /// Texts that proxies write for a header that was not sent.
  private static let absentTexts = ["", "-"]

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

  private struct Candidate {
    var pointer: Int
    var texts: [String]
    var condition: SchemaCondition
    var isRoute, isMethod: Bool
    /// Whether the pointer's name refers to routes or events.
    var isNamed: Bool
  }

  /// Returns the conditions, or nil if none distinguish the role's lines from others.
  func conditions() -> [SchemaCondition]? {
    let values = valueConditions()
    let test = tokenTest().flatMap { isDistinct(sample.lines(meeting: [$0])) ? $0 : nil }
    // A token identifies a line wherever a server accepts it, also on routes that are added later.
    if role.hasToken, let test {
      return (role == .attestation ? route(values) : []) + [test]
    }
    let routes = values.filter(\.isRoute)
    let words = values.filter { !$0.isRoute && !$0.isMethod }
    let method = values.first(where: \.isMethod)
    return best(role == .assertion ? words : words + routes, with: method)
      ?? ((role == .challenge ? test : nil) ?? presence()).map { [$0] }
      ?? best(routes, with: method) ?? absence()
  }

  private func condition(_ pointers: [Int], _ test: SchemaCondition.Test) -> SchemaCondition {
    SchemaCondition(pointers.map(sample.pointers.pointer), test)
  }

  // MARK: Values

  /// Returns conditions on the pointers that have few texts on the role's lines.
  private func valueConditions() -> [Candidate] {
    var counts: [Int: [ArraySlice<UInt8>: Int]] = [:]
    for value in lines.lazy.flatMap({ sample.lines[$0].values })
    where (value.isText || value.kind == .boolean) && value.text.count <= 128
      && !excluded.contains(value.pointer)
      && counts[value.pointer]?.count ?? 0 <= 4 * Self.valueLimit
    {
      let isPath = value.text.first == UInt8(ascii: "/")
      let text = isPath ? value.text.prefix { $0 != 0x3F && $0 != 0x23 } : value.text
      counts[value.pointer, default: [:]][text, default: 0] += 1
    }
    let candidates = counts.sorted { $0.key < $1.key }.compactMap(candidate)
    return Array((candidates.filter(\.isNamed) + candidates.filter { !$0.isNamed }).prefix(24))
  }

  /// Returns the condition that a pointer has one of its frequent texts, or nil.
  private func candidate(_ pointer: Int, _ texts: [ArraySlice<UInt8>: Int]) -> Candidate? {
    let hasKindName = sample.pointers.meaning(pointer).isOne(WordLists.kinds)
    let paths = texts.keys.map { String(decoding: $0, as: UTF8.self) }
    if hasKindName, let route = Self.route(of: paths) {
      return Candidate(
        pointer: pointer, texts: [route.text],
        condition: condition([pointer], .isPath(of: [route])), isRoute: true, isMethod: false,
        isNamed: true)
    }
    let least = lines.count >= Self.valueLimit ? max(2, lines.count * 3 / 100) : 1
    let kept = texts.filter { $0.value >= least && !$0.key.isEmpty }
    let words = kept.map { (text: String(decoding: $0.key, as: UTF8.self), lines: $0.value) }
      .sorted { ($1.lines, $0.text) < ($0.lines, $1.text) }.map(\.text)
    guard (1...Self.valueLimit).contains(kept.count),
      kept.values.reduce(0, +) * 100 >= lines.count * 85,
      words.allSatisfy({ YAMLText.isPlainLine($0) }),
      // Keys and hashes distinguish no role, however few of them there are.
      kept.keys.allSatisfy({ ValueDecoder.digest($0) == nil })
    else { return nil }
    let routes = Self.routes(words)
    let used = routes?.map(\.text) ?? words
    let isMethod = used.allSatisfy(RequestMethod.names.contains)
    let isNamed = isMethod || hasKindName
    guard kept.count == 1 || kept.values.reduce(0, +) >= 3 * kept.count,
      isNamed || areOfForm(words, at: pointer)
    else { return nil }
    return Candidate(
      pointer: pointer, texts: used,
      condition: condition([pointer], routes.map { .isPath(of: $0) } ?? .isOne(of: words)),
      isRoute: used.allSatisfy { $0.hasPrefix("/") }, isMethod: isMethod,
      isNamed: isNamed)
  }

  /// Returns whether texts belong to the form of lines: other lines will have them, too. A number that is measured or
  /// counted, and a text that few lines have, only happen to occur.
  private func areOfForm(_ words: [String], at pointer: Int) -> Bool {
    let all = sample.lines.compactMap { $0[pointer]?.text }
    let isNumber = words.contains { $0.first?.isNumber ?? false }
    return lines.count > 1 && Set(all).count * 3 <= all.count && (words.count == 1 || !isNumber)
  }

  /// Returns the route of three paths or more that differ only in identifiers, with `*` for these, or nil.
  private static func route(of paths: [String]) -> RoutePattern? {
    let segments = paths.map { $0.split(separator: "/") }
    guard paths.count > 2, paths.allSatisfy({ $0.hasPrefix("/") && YAMLText.isPlainLine($0) }),
      Set(segments.map(\.count)).count == 1
    else { return nil }
    let parts = segments[0].indices.map { index -> Substring? in
      let all = Set(segments.map { $0[index] })
      if all.count == 1 { return segments[0][index] }
      return all.allSatisfy { $0.contains(where: \.isNumber) } ? "*" : nil
    }
    guard parts.contains("*"), parts.contains(where: { $0 != "*" }), !parts.contains(nil) else {
      return nil
    }
    return try? RoutePattern(parsing: "/" + parts.compactMap(\.self).joined(separator: "/"))
  }

  /// Returns texts as routes, each once, or nil if one is no route, or would stand for others.
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

  /// Returns the condition that the fewest other lines meet, with the method beside a route.
  private func best(_ candidates: [Candidate], with method: Candidate?) -> [SchemaCondition]? {
    let own = Set(lines)
    let fitting = candidates.compactMap {
      candidate -> (conditions: [SchemaCondition], rank: (Int, Int, Int))? in
      let conditions =
        [candidate.isRoute ? method?.condition : nil, candidate.condition].compactMap(\.self)
      let meeting = sample.lines(meeting: conditions)
      // Lines with a value at the place of the role's token are not others.
      let others = meeting.count { index in
        !own.contains(index) && !sites.contains { sample.lines[index].holds($0) }
      }
      guard lines.count * 10 >= (lines.count + others) * (candidate.isNamed ? 5 : 8),
        isDistinct(meeting)
      else { return nil }
      let depth = sample.pointers.depth(candidate.pointer)
      return (conditions, (candidate.isNamed ? 0 : 1, others + candidate.texts.count, depth))
    }
    return fitting.min { $0.rank < $1.rank }?.conditions
  }

  /// Returns whether hardly any line of another role meets a condition.
  private func isDistinct(_ meeting: Set<Int>) -> Bool {
    rivals.count(where: meeting.contains) <= max(rivals.count >= 10 ? 1 : 0, rivals.count * 3 / 100)
  }

  /// Returns a condition on the routes of the role if their tokens or bodies are also empty: an
  /// audit then recognises these (`reports.R71`). A route of fewer than three lines may name a
  /// user.
  private func route(_ candidates: [Candidate]) -> [SchemaCondition] {
    let own = Set(lines)
    let found = candidates.first { candidate in
      guard candidate.isRoute, candidate.isNamed else { return false }
      let meeting = sample.lines(meeting: [candidate.condition])
      return meeting.isSuperset(of: own) && meeting.count >= candidate.texts.count * 3
        && meeting.subtracting(own).contains { isTokenless(sample.lines[$0]) }
    }
    return found.map { [$0.condition] } ?? []
  }

  /// Returns whether a token of the role, or what contains it, is empty, `-` or `null` in a line.
  private func isTokenless(_ line: SampleLine) -> Bool {
    sites.contains { site in
      let path = [site] + sample.pointers.parents(of: site)
      guard let value = path.lazy.compactMap({ line[$0] }).first else { return false }
      return value.kind == .null || Self.isAbsent(value)
    }
  }

  private static func isAbsent(_ value: SampleValue) -> Bool {
    value.kind == .string && absentTexts.contains(value.string)
  }

  // MARK: Presence

  /// Returns the condition that the token is present, at any of its pointers. If the log has texts
  /// that stand for an absent token, the token must be none of these.
  func tokenTest() -> SchemaCondition? {
    guard let first = sites.first else { return nil }
    let others = Set(sample.lines.indices).subtracting(lines)
    let hasAbsentTexts = others.contains { index in
      sites.contains { sample.lines[index][$0].map(Self.isAbsent) ?? false }
    }
    guard hasAbsentTexts else { return condition(sites, .isPresent(true)) }
    // Such a text at the first pointer would hide a value at the second.
    return sites.count == 1 ? condition([first], .isNone(of: Self.absentTexts)) : nil
  }

  /// Returns a condition on a pointer that is present only on the role's lines.
  private func presence() -> SchemaCondition? {
    let counts = lines.lazy.map { sample.lines[$0] }.counts { $0.kind != .null }
    return counts.filter { pointer, count in
      count * 100 >= lines.count * 85
        && isDistinct(Set(rivals.filter { sample.lines[$0].holds(pointer) }))
    }.min {
      ($1.value, sample.pointers.depth($0.key), $0.key)
        < ($0.value, sample.pointers.depth($1.key), $1.key)
    }.map { condition([$0.key], .isPresent(true)) }
  }

  /// Returns the conditions that the token is present and a value is not that the lines of other roles have, or nil.
  private func absence() -> [SchemaCondition]? {
    guard role.hasToken, let token = tokenTest() else { return nil }
    let own = Set(lines.lazy.map { sample.lines[$0] }.counts { $0.kind != .null }.keys)
    let others = rivals.lazy.map { sample.lines[$0] }.counts {
      $0.kind != .null && !own.contains($0.pointer)
    }
    guard let other = others.most?.pointer,
      isDistinct(Set(rivals.filter { !sample.lines[$0].holds(other) }))
    else { return nil }
    return [token, condition([other], .isPresent(false))]
  }
}
