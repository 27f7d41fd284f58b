import AppAttest
import AuditLog

/// The author of a value. Whatever a client writes, an attacker can choose.
enum Origin: Int {
  case server
  /// The value is in an object with the token, and the method of the request is outside.
  case beside
  case client
}

/// A field that names and values suggest. Nothing proves it.
struct Candidate {
  var pointer: Int
  var what: String
  var isNamed: Bool
  var rank: Double
  /// The number of lines with such a value, and of those that were examined.
  var lines, of: Int
  /// The values: a candidate with the same values is a copy of another.
  var values: AnyHashable
  var table: ValueTable?
}

/// A search for fields beside the tokens, by their names and values.
struct FieldSearch {
  let lines: [SampleLine]
  let pointers: PointerTable
  let origin: (Int) -> Origin
  private let values: [PointerValues]

  private static let longest = 128

  init(_ lines: [SampleLine], _ pointers: PointerTable, origin: @escaping (Int) -> Origin) {
    self.lines = lines
    self.pointers = pointers
    self.origin = origin
    values = PointerValues.all(lines)
  }

  /// Returns the best of the candidates that a server wrote, or else of those beside the token that
  /// `isAllowed`; or of all if a client can write the field. If none is better than all others,
  /// each is a guess, unless the sureness is given.
  private func notes(
    _ field: LogField, _ candidates: [Candidate], most: Int = 3, as sureness: Sureness? = nil,
    isClients: Bool = false, isAllowed: (Int) -> Bool = { _ in true }
  ) -> [FieldNote] {
    func written(by author: Origin) -> [Candidate] {
      candidates.filter { origin($0.pointer) == author }
    }
    var allowed = isClients ? candidates : written(by: .server)
    if allowed.isEmpty { allowed = written(by: .beside).filter { isAllowed($0.pointer) } }
    // A value without a fitting name is no candidate beside one that has it.
    let named = allowed.filter(\.isNamed)
    var seen: Set<AnyHashable> = []
    let ranked = (named.isEmpty ? allowed : named).sorted {
      ($1.rank, $0.pointer) < ($0.rank, $1.pointer)
    }.filter { seen.insert($0.values).inserted }
    let isTied = ranked.count > 1 && ranked[0].rank == ranked[1].rank
    return ranked.prefix(most).enumerated().map { index, candidate in
      FieldNote(
        field: field, mapping: pointers.mapping([candidate.pointer], values: candidate.table),
        what: candidate.what,
        sureness: sureness ?? (candidate.isNamed && index == 0 && !isTied ? .likely : .guess),
        lines: candidate.lines, of: candidate.of)
    }
  }

  // MARK: Identifiers

  /// Returns the candidates for `requestId`, whose values differ on nearly every line.
  func requestID(excluding: Set<Int>) -> [FieldNote] {
    guard lines.count >= 3 else { return [] }
    let found = values.compactMap { values -> Candidate? in
      let texts = values.texts.filter { (6...Self.longest).contains($0.key.text.count) }
      let count = texts.values.reduce(0, +)
      let different = Set(texts.keys.map(\.text))
      guard !excluding.contains(values.pointer), count * 10 >= lines.count * 9,
        different.count * 10 >= count * 8
      else { return nil }
      let name = pointers.meaning(values.pointer)
      let isNamed = name.ends(WordLists.requestIDs) && !name.contains(WordLists.clientIDs)
      let remark =
        name.contains(WordLists.sentIDs)
        ? ", which a client can send unless the gateway overwrites them, so that a replay passes as a duplicate"
        : ""
      return Candidate(
        pointer: values.pointer, what: "\(different.count) different texts" + remark,
        isNamed: isNamed,
        rank: isNamed ? 1 : -Double(values.pointer) / 1e6, lines: count, of: lines.count,
        values: different)
    }
    return notes(.requestId, found)
  }

  /// Returns the candidates for `subject`, whose values repeat with the keys of lines by index.
  func subject(_ keys: [Int: Digest256], _ sample: LogSample, excluding: Set<Int>) -> [FieldNote] {
    let texts = sample.collect(keys, at: \.key) { line, value in
      value.isText && (1...Self.longest).contains(value.text.count)
        && !excluding.contains(value.pointer) ? (key: line.value, text: value.text) : nil
    }
    let found = texts.compactMap { pointer, texts -> Candidate? in
      let byKey = Dictionary(grouping: texts, by: \.key)
      let repeated = byKey.values.filter { $0.count >= 2 }
      let constant = repeated.count { Set($0.map(\.text)).count == 1 }
      guard !repeated.isEmpty, constant * 10 >= repeated.count * 8,
        Set(texts.map(\.text)).count >= max(2, byKey.count / 4)
      else { return nil }
      let isNamed = pointers.meaning(pointer).isOne(WordLists.subjects)
      return Candidate(
        pointer: pointer, what: "the same on \(constant) of \(repeated.count) keys",
        isNamed: isNamed,
        rank: isNamed ? 1 : Double(texts.count) / 1e9 - Double(pointer) / 1e12, lines: texts.count,
        of: keys.count, values: byKey.mapValues { Set($0.map(\.text)) })
    }
    return notes(.subject, found, isClients: true)
  }

  /// Returns the field `serverCounter`: an integer one below the counter of the assertion.
  func serverCounter(_ tokens: [FoundToken], _ sample: LogSample) -> [FieldNote] {
    let numbers = sample.collect(tokens, at: \.line) { token, value in
      value.isText && value.text.count <= 10 && value.text.first != UInt8(ascii: "+")
        ? UInt32(value.string).map { (number: $0, counter: token.assertion?.assertion.counter) }
        : nil
    }
    let found = numbers.compactMap { pointer, numbers -> Candidate? in
      let agreeing = numbers.filter { number, counter in
        number < UInt32.max && number + 1 == counter
      }
      guard agreeing.count >= 3, Set(agreeing.map(\.number)).count >= 2,
        agreeing.count * 10 >= numbers.count * 7
      else { return nil }
      return Candidate(
        pointer: pointer, what: "one below the assertion's counter", isNamed: true,
        rank: Double(agreeing.count), lines: agreeing.count, of: numbers.count, values: pointer)
    }
    return notes(.serverCounter, found, most: 1, as: .certain)
  }

  // MARK: Named fields

  /// A field whose name decides.
  private struct Kind: Sendable {
    let field: LogField
    /// The names, the best first, or nil if any name is good.
    let names: [String]?
    let what: String
    /// Whether a client's own word counts, too.
    var isClients = false
    let isValue: @Sendable (PointerValues.Text) -> Bool
  }

  private static let kinds =
    [(LogField.platform, "ios"), (.format, "apple-app-attest")].map { field, word in
      Kind(field: field, names: nil, what: "'\(word)' on lines with tokens", isClients: true) {
        $0.kind == .string && $0.string.lowercased() == word
      }
    } + [
      Kind(
        field: .clientIP, names: WordLists.clientIPs, what: "addresses, by their name"
      ) { $0.kind == .string && isAddress($0.string) },
      Kind(
        field: .userAgent, names: WordLists.userAgents, what: "texts, by their name",
        isClients: true
      ) { $0.kind == .string },
      Kind(field: .route, names: WordLists.routes, what: "paths, by their name") {
        $0.kind == .string && ($0.text.first == UInt8(ascii: "/") || $0.string.contains("://"))
      },
      Kind(
        field: .duration, names: WordLists.unitsOfDurations.map(\.name),
        what: "numbers, by their name"
      ) { $0.kind != .boolean && Double($0.string).map { $0 >= 0 && $0 < 86_400_000 } ?? false },
    ]

  /// Returns `platform` and `format` if at least half of the lines have them (`records.R31`), or
  /// what all lines say of their requests (`records.R91`, `records.R92`). The name of `time` tells
  /// whether it is the end of a request.
  func named(_ fields: Set<LogField>, time: FieldNote? = nil) -> [FieldNote] {
    Self.kinds.filter { fields.contains($0.field) }.compactMap { kind in
      var note = notes(
        kind.field, values.compactMap { candidate(kind, $0) }, most: 1, as: .likely,
        isClients: kind.isClients
      ).first
      if kind.field == .duration { note = note.map { completed($0, time) } }
      return note
    }
  }

  private func candidate(_ kind: Kind, _ values: PointerValues) -> Candidate? {
    let name = pointers.meaning(values.pointer)
    let index = kind.names?.firstIndex { name.isOne([$0]) }
    guard kind.names == nil || index != nil else { return nil }
    let valid = values.texts.filter { kind.isValue($0.key) }.values.reduce(0, +)
    // Proxies write these for a value that is absent.
    let absent = values.texts.filter { ["", "-"].contains($0.key.string) && !kind.isValue($0.key) }
      .values.reduce(0, +)
    guard
      index == nil
        ? valid * 2 >= lines.count : valid * 2 > lines.count && valid + absent == values.count
    else { return nil }
    return Candidate(
      pointer: values.pointer, what: kind.what, isNamed: true,
      rank: index.map { -Double($0) - Double(pointers.depth(values.pointer)) / 100 }
        ?? Double(valid), lines: valid, of: lines.count, values: values.pointer)
  }

  /// Returns whether a text is an IPv4 or IPv6 address, with a port or without.
  private static func isAddress(_ text: String) -> Bool {
    guard (2...64).contains(text.utf8.count),
      text.allSatisfy({ $0.isHexDigit || ".:[]".contains($0) })
    else { return false }
    let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
    guard colons < 2 else { return text.contains("::") || (7...8).contains(colons) }
    let parts = text.prefix { $0 != ":" }.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Returns a duration with its unit. Only of nginx it is known that the time is the end.
  private func completed(_ note: FieldNote, _ time: FieldNote?) -> FieldNote {
    let name = note.mapping.pointers.first.flatMap(pointers.number).map(pointers.meaning)
    guard
      let duration = WordLists.unitsOfDurations.first(where: { name?.isOne([$0.name]) ?? false })
    else { return note }
    var note = note
    note.mapping.time.unit = duration.unit == .s ? nil : duration.unit
    let timeName = NameWords(time?.mapping.pointers.first?.steps.last ?? "start")
    if duration.name == "requesttime", !timeName.contains(WordLists.beginnings) { return note }
    note.what = "numbers, for a time that is the end of a request, by their name"
    note.sureness = .guess
    return note
  }

  // MARK: Decisions

  /// Returns the candidates for `decision`: few values, all words for a decision or statuses.
  func decisions(isAllowed: (Int) -> Bool = { _ in true }) -> [FieldNote] {
    notes(.decision, values.compactMap(decision), isAllowed: isAllowed)
  }

  private func decision(_ values: PointerValues) -> Candidate? {
    let (pointer, total) = (values.pointer, values.total)
    var texts: [String: Int] = [:]
    for (text, count) in values.texts where text.kind != .null {
      texts[text.text.count <= 40 ? text.string : "", default: 0] += count
    }
    // One value of another type says nothing about the others.
    let kind = [JSONDocument.Kind.string, .number, .boolean].max {
      values.count(of: $0) < values.count(of: $1)
    }
    guard (1...24).contains(texts.count), let kind else { return nil }
    let name = pointers.meaning(pointer)
    // A rare text says neither yes nor no, unless it is a word for one.
    let frequent = texts.filter { $0.value * 50 > total || DecisionWords.word($0.key) != nil }.keys
    guard var table = DecisionWords.table(frequent.sorted(), kind, name),
      kind != .boolean || isFlagOfRequest(pointer)
    else { return nil }
    // With any other text the request is audited all the same.
    if values.count(of: .boolean) != total { table.otherwise = "unknown" }
    let isNamed = name.ends(WordLists.decisions)
    let isStatus = frequent.allSatisfy { DecisionWords.status($0) != nil }
    // Anybody can send requests that get no status.
    let isServers = isStatus && isNamed && frequent.contains { $0.hasPrefix("2") }
    let share = Double(total) / Double(max(1, lines.count))
    let rank =
      share + (name.isOne(WordLists.decisions) ? 1 : isNamed ? 0.5 : 0)
      - (isOfRequest(pointer, isStatus: isStatus) ? 0 : 0.8)
      + (kind == .string ? 0.2 : 0) - 0.05 * Double(pointers.depth(pointer))
    guard share >= (isServers ? 0.1 : 0.5), rank > 0 else { return nil }
    let seen = texts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(4)
      .map { "\($0.key) on \($0.value)" }.joined(separator: ", ")
    return Candidate(
      pointer: pointer, what: seen, isNamed: isNamed, rank: rank, lines: total, of: lines.count,
      values: texts, table: table)
  }

  /// Returns whether all objects around refer to the server's decision. A status always does.
  private func isOfRequest(_ pointer: Int, isStatus: Bool) -> Bool {
    pointers.parents(of: pointer).allSatisfy { parent in
      let name = NameWords(pointers.name(parent))
      return name.contains(WordLists.statusParents)
        && (isStatus || !name.isOne(["request", "req"]))
    }
  }

  /// Returns whether all objects around a flag refer to the request.
  private func isFlagOfRequest(_ pointer: Int) -> Bool {
    pointers.parents(of: pointers.holder(pointer)).allSatisfy { parent in
      let name = NameWords(pointers.name(parent))
      return name.isOne([""]) || name.contains(WordLists.attestations)
        || name.isOne(WordLists.flagParents)
    }
  }
}
