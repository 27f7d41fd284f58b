/// The shapes of a log's lines, if several servers, or several loggers, write into one folder.
///
/// Lines are of one shape if they have mostly the same members. A shape counts if it has enough
/// tokens. All other lines are left with the first, so that a few forged requests make no shape.
struct LogShapes {
  /// The indexes of the lines of each shape, in rising order. The first shape has the most tokens.
  private(set) var lines: [[Int]]

  /// The inverse of the smallest share of members that lines of one shape have in common.
  private static let commonPart = 3
  /// The inverse of the smallest share of the lines with tokens that a shape holds.
  private static let leastPart = 100
  /// The largest number of shapes.
  private static let limit = 8
  /// The largest number of sets of members that are compared.
  private static let setLimit = 4096

  /// Divides the lines of a sample into shapes.
  ///
  /// - Parameter tokenLines: The indexes of lines that hold tokens.
  init(_ sample: LogSample, tokenLines: Set<Int>) {
    var sets: [Set<Int>: [Int]] = [:]
    var rest: [Int] = []
    for (index, line) in sample.lines.enumerated() {
      let members = Set(
        line.values.filter { sample.pointers.depth($0.pointer) == 1 }.map(\.pointer))
      if sets[members] != nil || sets.count < Self.setLimit {
        sets[members, default: []].append(index)
      } else {
        rest.append(index)
      }
    }
    var shapes: [(core: Set<Int>, lines: [Int])] = []
    // Lines with tokens first: they define the shapes.
    let ranked = sets.map { members, lines in
      (members: members, lines: lines, tokens: lines.count { tokenLines.contains($0) })
    }.sorted {
      ($1.tokens, $1.lines.count, $0.lines[0]) < ($0.tokens, $0.lines.count, $1.lines[0])
    }
    for (members, lines, _) in ranked {
      let shape = shapes.indices.first { Self.areAlike(shapes[$0].core, members) }
      if let shape { shapes[shape].lines += lines } else { shapes.append((members, lines)) }
    }
    let least = max(2, tokenLines.count / Self.leastPart)
    let counted = shapes.map { shape in
      (lines: shape.lines, tokens: shape.lines.count { tokenLines.contains($0) })
    }
    var kept = counted.filter { $0.tokens >= least }
      .sorted { ($1.tokens, $0.lines[0]) < ($0.tokens, $1.lines[0]) }.prefix(Self.limit)
      .map(\.lines)
    if kept.isEmpty { kept = [[]] }
    let taken = Set(kept.flatMap(\.self))
    kept[0] = sample.lines.indices.filter { !taken.contains($0) } + kept[0]
    lines = kept.map { $0.sorted() }
  }

  private static func areAlike(_ left: Set<Int>, _ right: Set<Int>) -> Bool {
    let common = left.intersection(right).count
    return common > 0 && common * commonPart >= left.union(right).count
  }
}
