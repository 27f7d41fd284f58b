package import AppAttest
import AuditLog

/// The results for a log: the shapes of its lines, and the one schema that reads them all.
package struct Discovery {
  package let sample: LogSample
  /// The rules of all shapes.
  package private(set) var draft: SchemaDraft
  package private(set) var apps: AppSearch
  /// The number of tokens that parse only in part.
  package let malformed: Int
  /// A command for a shell that moves the time of lines into their JSON, if it is before the JSON.
  package let prefixTime: String?
  /// Whether a token carries the category of its app.
  package let hasCategory: Bool
  /// The indexes of lines that contain tokens.
  package let tokenLines: Set<Int>
  /// The results for the lines of each shape.
  private let shapes: [SchemaSearch]

  /// Finds the schema of a sample.
  ///
  /// - Parameters:
  ///   - anchors: The certificates, in DER, that end an attestation's chain.
  ///   - keys: The public keys that are known, as X9.62 points, by key identifier.
  ///   - appIDs: App IDs that the user named.
  ///   - isAppID: Returns whether a text can be an App ID.
  package init(
    _ sample: LogSample, anchors: [[UInt8]], keys: [Digest256: [UInt8]], appIDs: [String],
    isAppID: (String) -> Bool
  ) {
    self.sample = sample
    let found = FoundTokens(sample)
    hasCategory = found.tokens.contains(where: \.hasCategory)
    malformed = found.malformed
    tokenLines = Set(found.tokens.map(\.line))
    let attested = AttestedKeys(found.tokens, known: keys)
    let lines = tokenLines.sorted().map { sample.lines[$0] }
    (shapes, draft) = Self.shapes(sample, found.tokens, tokenLines, attested)
    draft.leaveOutSpoilers(lines, of: sample)
    let hasTime = (draft.shared + draft.rules.flatMap(\.notes)).contains { $0.field == .time }
    prefixTime =
      draft.hasPrefix && !hasTime ? PrefixTime(sample, tokenLines: tokenLines)?.command : nil
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

  /// The share of the lines, in percent, that one schema for lines of different shapes must cover
  /// to be good enough.
  private static let leastPercent = 99

  /// Returns the log as one shape if that covers the lines with tokens. Otherwise returns its
  /// shapes if these cover more.
  private static func shapes(
    _ sample: LogSample, _ tokens: [FoundToken], _ tokenLines: Set<Int>, _ keys: AttestedKeys
  ) -> ([SchemaSearch], SchemaDraft) {
    let whole = SchemaSearch.search(sample, tokens: tokens, keys: keys)
    let lines = tokenLines.map { sample.lines[$0] }
    let covered = whole.draft.covered(lines, of: sample)
    let parts = LogShapes(sample, tokenLines: tokenLines).lines
    guard covered * 100 < lines.count * leastPercent, parts.count > 1 else {
      return ([whole], whole.draft)
    }
    let shapes = parts.map { lines in
      let places = Dictionary(uniqueKeysWithValues: lines.enumerated().map { ($1, $0) })
      var part = sample
      part.lines = lines.map { sample.lines[$0] }
      return SchemaSearch.search(
        part, tokens: tokens.compactMap { token in places[token.line].map(token.moved) },
        keys: keys)
    }
    let draft = combined(shapes)
    return draft.covered(lines, of: sample) > covered ? (shapes, draft) : ([whole], whole.draft)
  }

  /// Returns the schema for lines of several shapes: a rule for each kind of line of each shape,
  /// with the fields that not all shapes have in common.
  private static func combined(_ shapes: [SchemaSearch]) -> SchemaDraft {
    var draft = shapes[0].draft
    func isSame(_ note: FieldNote, _ other: FieldNote) -> Bool {
      note.field == other.field && note.mapping == other.mapping
        && note.isActive == other.isActive
    }
    draft.isDefault = false
    draft.hasPrefix = shapes.contains(where: \.draft.hasPrefix)
    draft.shared = draft.shared.filter { note in
      shapes.allSatisfy { $0.draft.shared.contains { isSame($0, note) } }
    }
    draft.rules = []
    for (index, shape) in shapes.enumerated() {
      let mark = mark(of: index, shapes)
      let own = shape.draft.shared.filter { note in !draft.shared.contains { isSame($0, note) } }
      for var rule in shape.draft.rules {
        rule.shape = index
        if index > 0 { rule.name += " \(index + 1)" }
        if let mark, isAmbiguous(rule, index, shapes),
          rule.examples.allSatisfy({ shape.sample.lines[$0].holds(mark) })
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

  /// Returns whether a rule of a shape fits requests of others.
  private static func isAmbiguous(
    _ rule: RuleDraft, _ index: Int, _ shapes: [SchemaSearch]
  ) -> Bool {
    shapes.indices.contains { other in
      other != index
        && !shapes[other].sample.lines(meeting: rule.conditions)
          .isDisjoint(with: shapes[other].requests)
    }
  }

  /// Returns a member that all lines with tokens of a shape have, and those of no other, or nil if
  /// there is none.
  private static func mark(of index: Int, _ shapes: [SchemaSearch]) -> Int? {
    let members = shapes.map { shape in
      shape.requestLines.map { line in
        Set(line.values.lazy.filter { $0.kind != .null }.map(\.pointer)).filter {
          shape.sample.pointers.depth($0) == 1
        }
      }
    }
    guard let first = members[index].first else { return nil }
    let common = members[index].reduce(first) { $0.intersection($1) }
    let others = members.indices.filter { $0 != index }.flatMap { members[$0] }
    return others.reduce(common) { $0.subtracting($1) }.min()
  }

  // MARK: Examples

  /// A line with the record that an audit makes of it.
  package struct Example {
    package var line: SampleLine
    package var role: Role
    /// The key identifier and the time of the record, or nil for other lines.
    package var record: (key: [UInt8]?, time: Int64)?
  }

  /// Returns the shortest lines of each rule that an audit reads, in the order of the log. Of lines
  /// with several records it returns the shortest, each with its first record.
  package func examples(
    _ audit: SampleAudit, ofEachRule count: Int, where isGood: (SampleLine) -> Bool
  ) -> [Example] {
    guard sample.batches.isEmpty else {
      return sample.batches.sorted { $0.bytes.count < $1.bytes.count }.first(count) { line in
        isGood(line) ? Example(line, audit, of: Role.allCases) : nil
      }
    }
    return (draft.isDefault ? draft.rules : draft.completeRules).flatMap { rule -> [Example] in
      let lines = shapes[rule.shape].sample.lines
      let shortest = rule.examples.sorted { lines[$0].bytes.count < lines[$1].bytes.count }
      return shortest.first(count) { index -> (index: Int, example: Example)? in
        guard isGood(lines[index]) else { return nil }
        return Example(lines[index], audit, of: [rule.role]).map { (index, $0) }
      }.sorted { $0.index < $1.index }.map(\.example)
    }
  }
}

extension Sequence {
  /// Returns the results for the first elements that have one.
  fileprivate func first<Result>(_ count: Int, _ transform: (Element) -> Result?) -> [Result] {
    var results: [Result] = []
    for element in self where results.count < count {
      if let result = transform(element) { results.append(result) }
    }
    return results
  }
}

extension Discovery.Example {
  /// Reads a line, or returns nil if it is not one of some roles that an audit takes without a remark.
  fileprivate init?(_ line: SampleLine, _ audit: SampleAudit, of roles: [Role]) {
    self.line = line
    switch audit.read(line) {
    case .deviceCheckToken where roles == [.deviceCheckToken]: role = .deviceCheckToken
    case .record(let record) where !record.isOdd:
      guard let role = roles.first(where: { $0.kind == .fixed(record.kind) }) else { return nil }
      self.role = role
      self.record = (record.keyID.map(audit.bytes), record.time)
    default: return nil
    }
  }
}
