internal import AppAttest

/// The results for a log: the shapes of its lines, and the one mapping that reads them all.
package struct Discovery {
  package let sample: LogSample
  /// The rules of all shapes.
  package private(set) var schema: FoundSchema
  package private(set) var apps: AppSearch
  /// The number of tokens that parse only in part.
  package let malformed: Int
  /// The array that holds several records on a line, if tokens are in such arrays.
  package let recordArray: RecordArray?
  /// A command for a shell that moves the time of lines into their JSON, if it is before the JSON.
  package let prefixTime: String?
  /// The indexes of lines that hold tokens.
  let tokenLines: Set<Int>
  /// The results for the lines of each shape.
  let shapes: [SchemaSearch]

  /// Finds the mapping of a sample.
  ///
  /// - Parameters:
  ///   - anchors: The certificates, in DER, that end an attestation's chain.
  ///   - appIDs: App IDs that the user named.
  ///   - isAppID: Returns whether a text can be an App ID.
  package init(
    _ sample: LogSample, anchors: [[UInt8]], appIDs: [String], isAppID: (String) -> Bool
  ) {
    self.sample = sample
    let found = FoundTokens(sample)
    malformed = found.malformed.values.reduce(0, +)
    recordArray = RecordArray(sample, found.tokens)
    let tokenLines = Set(found.tokens.map(\.line))
    self.tokenLines = tokenLines
    let whole = SchemaSearch.search(sample, tokens: found.tokens, attested: found.tokens)
    (shapes, schema) = Self.shapes(sample, found.tokens, tokenLines, whole)
    schema.hasPrefix = tokenLines.contains { sample.lines[$0].hasPrefix }
    let hasTime = (schema.shared + schema.rules.flatMap(\.fields)).contains { $0.name == "time" }
    prefixTime =
      schema.hasPrefix && !hasTime ? PrefixTime(sample, tokenLines: tokenLines)?.command : nil
    let tokens = shapes.flatMap { shape in shape.confirmedTokens.map { (shape, $0) } }
    apps = AppSearch(tokens.map(\.1), given: appIDs, isAppID: isAppID) { index in
      tokens[index].0.sample.lines[tokens[index].1.line]
    }
    for shape in shapes { shape.count(in: &apps, anchors: anchors) }
  }

  /// The share of the lines, in percent, that one mapping for lines of different shapes must cover
  /// to be good enough.
  private static let leastPercent = 99

  /// Returns the log as one shape if that covers the lines with tokens. Otherwise returns its
  /// shapes if these cover more.
  private static func shapes(
    _ sample: LogSample, _ tokens: [FoundToken], _ tokenLines: Set<Int>, _ whole: SchemaSearch
  ) -> ([SchemaSearch], FoundSchema) {
    let lines = tokenLines.map { sample.lines[$0] }
    let covered = whole.schema.covered(lines)
    let parts = LogShapes(sample, tokenLines: tokenLines).lines
    guard covered * 100 < lines.count * leastPercent, parts.count > 1 else {
      return ([whole], whole.schema)
    }
    let shapes = parts.map { lines in
      var places: [Int: Int] = [:]
      for (place, line) in lines.enumerated() { places[line] = place }
      var part = sample
      part.lines = lines.map { sample.lines[$0] }
      return SchemaSearch.search(
        part, tokens: tokens.compactMap { token in places[token.line].map(token.moved) },
        attested: tokens)
    }
    let schema = combined(shapes)
    return schema.covered(lines) > covered ? (shapes, schema) : ([whole], whole.schema)
  }

  /// Returns the mapping for lines of several shapes: a rule for each kind of line of each shape,
  /// with the fields that not all shapes have in common.
  private static func combined(_ shapes: [SchemaSearch]) -> FoundSchema {
    var schema = shapes[0].schema
    schema.isDefault = false
    schema.shared = schema.shared.filter { field in
      shapes.allSatisfy { shape in
        shape.schema.shared.contains { $0.name == field.name && $0.form == field.form }
      }
    }
    schema.rules = []
    for (index, shape) in shapes.enumerated() {
      let mark = mark(of: index, shapes)
      for var rule in shape.schema.rules {
        rule.shape = index
        if index > 0 { rule.name += " \(index + 1)" }
        if let mark, isAmbiguous(rule, index, shapes), shape.holds(mark, rule.examples) {
          rule.conditions.append(mark)
        }
        let own = shape.schema.shared.filter { field in
          !schema.shared.contains { $0.name == field.name && $0.form == field.form }
        }
        rule.fields += own
        rule.shapeFields = Set(own.map(\.name))
        schema.rules.append(rule)
      }
      for text in shape.schema.missing where !schema.missing.contains(text) {
        schema.missing.append(text)
      }
      if shape.schema.replayScope == "exact", schema.replayScope != "exact" {
        schema.replayScope = shape.schema.replayScope
        schema.replayReason = shape.schema.replayReason
      }
      if shape.schema.isRaw != schema.isRaw {
        schema.missing.append("hash: client data are hashes in some of the log, and not in others")
      }
    }
    return schema
  }

  /// Returns whether a rule of a shape fits requests of others.
  private static func isAmbiguous(
    _ rule: FoundRule, _ index: Int, _ shapes: [SchemaSearch]
  ) -> Bool {
    shapes.indices.contains { other in
      other != index && shapes[other].requestLines.contains(where: rule.fits)
    }
  }

  /// Returns a condition on a member that all lines with tokens of a shape have, and those of no
  /// other. Returns nil if there is none.
  private static func mark(of index: Int, _ shapes: [SchemaSearch]) -> FoundCondition? {
    func members(_ shape: SchemaSearch) -> [Set<Int>] {
      shape.requestLines.map { line in
        Set(line.values.lazy.filter { $0.kind != .null }.map(\.pointer)).filter {
          shape.sample.pointers.depth($0) == 1
        }
      }
    }
    guard let first = members(shapes[index]).first else { return nil }
    var common = members(shapes[index]).reduce(first) { $0.intersection($1) }
    for other in shapes.indices where other != index {
      for line in members(shapes[other]) { common.subtract(line) }
    }
    return common.min().map { FoundCondition(pointers: [$0], test: .isPresent) }
  }
}
