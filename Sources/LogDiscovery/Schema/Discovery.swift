package import AppAttest
import AuditLog
import Basics

/// The results for a log: the shapes of its lines, and the one schema that reads them all.
package struct Discovery {
  package let sample: LogSample
  package private(set) var draft: SchemaDraft
  package private(set) var apps: AppSearch
  /// The number of tokens that parse only in part.
  package let malformed: Int
  /// A command for a shell that moves the time of lines into their JSON, if it is before the JSON.
  package let prefixTime: String?
  /// A command for a shell that adds the kind of its token to each line, if nothing else distinguishes the kinds.
  package let addedKind: String?
  package let hasCategory: Bool
  package let tokenLines: Set<Int>
  private let shapes: [SchemaSearch]

  /// Finds the schema of a sample. `anchors` are DER certificates that end a chain, `keys` X9.62
  /// points by key identifier, `appIDs` those that the user named.
  package init(
    _ sample: LogSample, anchors: [[UInt8]], keys: [Digest256: [UInt8]], appIDs: [String],
    isAppID: (String) -> Bool
  ) {
    self.sample = sample
    let found = FoundTokens(sample)
    hasCategory = found.tokens.contains(where: \.hasCategory)
    malformed = found.malformed
    tokenLines = Set(found.tokens.map(\.line))
    var attested = keys
    for token in found.tokens {
      if let key = token.keyID { attested[key] = token.publicKey }
    }
    let lines = tokenLines.sorted().map { sample.lines[$0] }
    (shapes, draft) = Self.shapes(sample, found.tokens, lines, attested)
    draft.leaveOutSpoilers(lines, of: sample)
    let hasTime = (draft.shared + draft.rules.flatMap(\.notes)).contains { $0.field == .time }
    prefixTime = draft.hasPrefix && !hasTime ? PrefixTime.command(sample, lines) : nil
    addedKind =
      draft.lacksKind && !draft.hasPrefix ? TokenKinds.command(found.tokens, sample) : nil
    let requests = shapes.flatMap { shape in
      shape.confirmedTokens.map { token in
        AppSearch.Request(
          token: token, line: shape.sample.lines[token.line],
          key: shape.tokens.verifiedKeys[token.line])
      }
    }
    apps = AppSearch(requests, given: appIDs, isAppID: isAppID)
    if let audit = SampleAudit(draft.schema(of: sample)) {
      apps.verify(requests, known: Set(keys.keys), anchors: anchors, audit: audit)
    }
  }

  /// Returns the log as one shape if that covers nearly all tokens, or else the division that covers most.
  private static func shapes(
    _ sample: LogSample, _ tokens: [FoundToken], _ lines: [SampleLine],
    _ keys: [Digest256: [UInt8]]
  ) -> ([SchemaSearch], SchemaDraft) {
    let whole = SchemaSearch.search(sample, tokens: tokens, keys: keys)
    var best = ([whole], whole.draft)
    var covered = whole.draft.covered(lines, of: sample)
    for division in LogShapes.divisions where covered * 100 < lines.count * 99 {
      let parts = division.lines(sample, tokenLines: Set(tokens.map(\.line)))
      guard parts.count > 1 else { continue }
      let shapes = parts.map { search($0, of: sample, tokens, keys) }
      let draft = combined(shapes)
      let count = draft.covered(lines, of: sample)
      if count > covered { (best, covered) = ((shapes, draft), count) }
    }
    return best
  }

  private static func search(
    _ lines: [Int], of sample: LogSample, _ tokens: [FoundToken], _ keys: [Digest256: [UInt8]]
  ) -> SchemaSearch {
    let places = Dictionary(uniqueKeysWithValues: lines.enumerated().map { ($1, $0) })
    var part = sample
    part.lines = lines.map { sample.lines[$0] }
    let own = tokens.compactMap { token -> FoundToken? in
      guard let line = places[token.line] else { return nil }
      var token = token
      token.line = line
      return token
    }
    return SchemaSearch.search(part, tokens: own, keys: keys)
  }

  /// Returns the schema for lines of several shapes: a rule for each kind and shape.
  private static func combined(_ shapes: [SchemaSearch]) -> SchemaDraft {
    var draft = shapes[0].draft
    func contains(_ notes: [FieldNote], _ note: FieldNote) -> Bool {
      notes.contains {
        $0.field == note.field && $0.mapping == note.mapping && $0.isActive == note.isActive
      }
    }
    draft.isDefault = false
    draft.hasPrefix = shapes.contains(where: \.draft.hasPrefix)
    draft.shared.removeAll { note in !shapes.allSatisfy { contains($0.draft.shared, note) } }
    draft.rules = []
    for (index, shape) in shapes.enumerated() {
      let mark = mark(of: index, shapes)
      let own = shape.draft.shared.filter { !contains(draft.shared, $0) }
      for var rule in shape.draft.rules {
        rule.shape = index
        if index > 0 { rule.name += " \(index + 1)" }
        let others = shapes.indices.filter { $0 != index }.map { shapes[$0] }
        if let mark, rule.examples.allSatisfy({ shape.sample.lines[$0].holds(mark) }),
          others.contains(where: {
            !$0.sample.lines(meeting: rule.conditions).isDisjoint(with: $0.requests)
          })
        {
          rule.conditions.append(
            SchemaCondition([shape.sample.pointers.pointer(mark)], .isPresent(true)))
        }
        rule.notes += own
        rule.shapeFields = Set(own.map(\.field))
        draft.rules.append(rule)
      }
      draft.missing += shape.draft.missing.filter { !draft.missing.contains($0) }
      if index > 0 { draft.replays.add(shape.draft.replays) }
      if shape.draft.formation != draft.formation {
        draft.missing.append("hash: client data are hashes in some of the log, and not in others")
      }
    }
    return draft
  }

  /// Returns a member that all lines with tokens of a shape have, and none of another, or nil.
  private static func mark(of index: Int, _ shapes: [SchemaSearch]) -> Int? {
    var members = shapes.map { shape in
      shape.requestLines.map { line in
        Set(line.values.lazy.filter { $0.kind != .null }.map(\.pointer)).filter {
          shape.sample.pointers.depth($0) == 1
        }
      }
    }
    let own = members.remove(at: index)
    let common = own.dropFirst().reduce(own.first ?? []) { $0.intersection($1) }
    return members.joined().reduce(common) { $0.subtracting($1) }.min()
  }

  // MARK: Examples

  /// Returns the shortest lines of each rule for which `expectation` returns what a test expects of a line of one of these
  /// roles, with that, in the log's order.
  package func examples(
    ofEachRule count: Int, _ expectation: (SampleLine, [Role]) -> String?
  ) -> [(line: SampleLine, expectation: String)] {
    func shortest(_ lines: [SampleLine], _ roles: [Role]) -> [(line: SampleLine, String)] {
      var examples: [(line: SampleLine, String)] = []
      for line in lines.sorted(by: { $0.bytes.count < $1.bytes.count })
      where examples.count < count {
        if let found = expectation(line, roles) { examples.append((line, found)) }
      }
      return examples
    }
    if !sample.batches.isEmpty { return shortest(sample.batches, Role.allCases) }
    return (draft.isDefault ? draft.rules : draft.completeRules).flatMap { rule in
      let lines = shapes[rule.shape].sample.lines
      return shortest(rule.examples.map { lines[$0] }, [rule.role])
        .sorted { ($0.line.source, $0.line.number) < ($1.line.source, $1.line.number) }
    }
  }
}

/// A division of a log's lines into shapes, if several servers, or several loggers, write into one folder.
struct LogShapes {
  let keepsInputs: Bool
  /// The share of their members, in percent, that lines of one shape have in common at least.
  let likeness: Int

  /// The largest number of groups of lines that are compared.
  private static let groupLimit = 4096

  /// The divisions that are tried. Lines of two servers can have many names in common.
  static let divisions = [
    LogShapes(keepsInputs: false, likeness: 33), LogShapes(keepsInputs: true, likeness: 66),
    LogShapes(keepsInputs: false, likeness: 66),
  ]

  /// Returns the ascending indexes of the lines of each shape, the one with the most tokens first.
  /// A shape needs one in a hundred tokens, so that a few forged requests make none.
  func lines(_ sample: LogSample, tokenLines: Set<Int>) -> [[Int]] {
    func tokens(_ lines: [Int]) -> Int { lines.count(where: tokenLines.contains) }
    // Lines with tokens first: they define the shapes.
    let ranked = groups(sample).map { (members: $0, lines: $1, tokens: tokens($1)) }.sorted {
      ($1.tokens, $1.lines.count, $0.lines[0]) < ($0.tokens, $0.lines.count, $1.lines[0])
    }.prefix(Self.groupLimit)
    var shapes: [(core: Set<Int>, lines: [Int])] = []
    for (members, lines, _) in ranked {
      let shape = shapes.firstIndex { shape in
        let common = members.count(where: shape.core.contains)
        let all = shape.core.count + members.count - common
        return common > 0 && common * 100 >= all * likeness
      }
      if let shape { shapes[shape].lines += lines } else { shapes.append((members, lines)) }
    }
    let least = max(2, tokenLines.count / 100)
    let counted = shapes.map { ($0.lines, tokens: tokens($0.lines)) }.filter { $0.tokens >= least }
      .sorted { ($1.tokens, $0.0[0]) < ($0.tokens, $1.0[0]) }.prefix(8).map(\.0)
    let taken = Set(counted.joined())
    var kept = counted.isEmpty ? [[]] : counted
    kept[0] += sample.lines.indices.filter { !taken.contains($0) }
    return kept.map { $0.sorted() }
  }

  /// Returns the lines that stay together, with the members that a tenth of them have.
  private func groups(_ sample: LogSample) -> [(members: Set<Int>, lines: [Int])] {
    let isMember = Set(sample.pointers.children(PointerTable.root))
    return Dictionary(grouping: sample.lines.indices) { index -> Set<Int> in
      let line = sample.lines[index]
      return keepsInputs ? [line.source] : isMember.intersection(line.values.map(\.pointer))
    }.values.map { lines in
      let counts = lines.lazy.map { sample.lines[$0] }.counts { isMember.contains($0.pointer) }
      return (Set(counts.filter { $0.value * 10 >= lines.count }.keys), lines)
    }
  }
}
