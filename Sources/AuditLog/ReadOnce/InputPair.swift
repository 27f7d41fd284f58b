/// The rows of two inputs, the earlier one first, that count (`records.R98`, `R99`, `R101`).
struct InputPair {
  let first: ComparedInput
  let second: ComparedInput
  /// The rows that count, in order.
  private(set) var counting: [CommonRow] = []
  /// Whether one input is of an earlier run, and the other is that input, or that input grown.
  private(set) var isGrown = false

  /// The number of different times that a copy has.
  static let leastTimes = 8
  /// A line that the first input has more often begins no row: it only continues one.
  private static let mostPlaces = 4
  /// The most shorter rows that are tried: damage leaves few.
  private static let mostShorter = 1024

  init(_ first: ComparedInput, _ second: ComparedInput) {
    self.first = first
    self.second = second
    counting = copies(commonRows())
    isGrown = counting.contains { first.isEarlier && isWhole($0) }
  }

  var turned: InputPair { InputPair(turning: self) }

  private init(turning pair: InputPair) {
    (first, second) = (pair.second, pair.first)
    counting = pair.counting.map { CommonRow(first: $0.second, second: $0.first, count: $0.count) }
      .sorted(by: <)
    isGrown = pair.isGrown
  }

  // MARK: Common rows

  /// Returns the longest common rows with a line that is rare in the first input, and those at both ends.
  private func commonRows() -> [CommonRow] {
    var found: [CommonRow] = []
    /// The last line of the second input that a row of a diagonal has reached.
    var reached: [Int: Int] = [:]
    for line in 0..<second.count {
      var places = Array(first.lines(with: second.content(line)).prefix(Self.mostPlaces + 1))
      if places.count > Self.mostPlaces {
        let ends = [line, line + first.count - second.count]
        places = ends.filter { place in
          (line == 0 || line == second.count - 1) && (0..<first.count).contains(place)
            && first.content(place) == second.content(line)
        }
      }
      for place in places where reached[place - line] ?? -1 < line {
        let row = row(place, line)
        reached[row.diagonal] = row.secondLines.upperBound - 1
        found.append(row)
      }
    }
    return found
  }

  private func row(_ place: Int, _ line: Int) -> CommonRow {
    var (before, after) = (0, 1)
    while place > before, line > before,
      first.content(place - before - 1) == second.content(line - before - 1)
    { before += 1 }
    while place + after < first.count, line + after < second.count,
      first.content(place + after) == second.content(line + after)
    { after += 1 }
    return CommonRow(first: place - before, second: line - before, count: before + after)
  }

  private func has(_ least: Int, timesIn row: CommonRow) -> Bool {
    var times: Set<Int64> = []
    for time in second.table.times(row.secondLines) where times.insert(time).inserted {
      if times.count >= least { return true }
    }
    return false
  }

  // MARK: Copies

  private func copies(_ found: [CommonRow]) -> [CommonRow] {
    guard !found.isEmpty else { return [] }
    lazy var ofFirst = OwnLines(first, second)
    lazy var ofSecond = OwnLines(second, first)
    var taken = found.filter { row in
      let (lines, others) = (row.firstLines, row.secondLines)
      return isWhole(row)
        || has(Self.leastTimes, timesIn: row)
          && (ofFirst.areNone(before: lines) || ofSecond.areNone(before: others))
          && (ofFirst.areNone(after: lines) || ofSecond.areNone(after: others))
    }
    if taken.isEmpty, first.isEarlier, first.damage.isDamaged, first.damage.isCompressed {
      taken = repaired(found.filter(isEnded))
    }
    if !taken.isEmpty,
      !first.damage.doubtful.isEmpty || !second.damage.doubtful.isEmpty
        || first.damage.isDamaged || second.damage.isDamaged
    {
      addShorter(found.filter { !taken.contains($0) && isEnded($0) }, &taken)
    }
    return taken.sorted(by: <)
  }

  /// Returns whether a row is the whole of the first input, with which the second begins, so that no number is needed.
  private func isWhole(_ row: CommonRow) -> Bool {
    guard row.first == 0, row.second == 0, !first.damage.isDamaged else { return false }
    if row.count == first.count {
      return first.isEarlier || first.count == second.count && !has(1, timesIn: row)
    }
    // The input has grown: a last line without an end might have been only a part yet, and it still is if this run leaves
    // it to a later one (`pipeline.R8`).
    let isLeft =
      first.damage.openBytes > 0 && row.count == first.count - 1 && row.count == second.count
    return first.isEarlier && (begins(row.count) || isLeft)
  }

  /// Returns whether a line is the first input's last one, has no end, and is what the second one's line there begins with.
  func begins(_ line: Int) -> Bool {
    line == first.count - 1
      && second.table.beginnings.contains(
        LineBeginning(
          line: first.own(line), bytes: first.damage.openBytes, content: first.content(line)))
  }

  /// Returns whether a row ends on both sides where an input ends or is damaged.
  private func isEnded(_ row: CommonRow) -> Bool {
    func isEnd(_ input: ComparedInput, _ line: Int, _ beside: Int) -> Bool {
      line == 0 && beside < 0 || line == input.count && beside == input.count
        || input.damage.isLost(before: line) || input.isDoubtful(beside)
    }
    let (low, high) = (row.firstLines, row.secondLines)
    return
      (isEnd(first, low.lowerBound, low.lowerBound - 1)
      || isEnd(second, high.lowerBound, high.lowerBound - 1))
      && (isEnd(first, low.upperBound, low.upperBound)
        || isEnd(second, high.upperBound, high.upperBound))
  }

  /// Returns rows, in order, if they contain all sound lines of the first input, one of them a request.
  private func repaired(_ able: [CommonRow]) -> [CommonRow] {
    var taken: [CommonRow] = []
    for row in able.sorted(by: <)
    where row.first >= taken.last?.firstLines.upperBound ?? 0
      && row.second >= taken.last?.secondLines.upperBound ?? 0
    {
      taken.append(row)
    }
    let covered = LineRanges(taken.map(\.firstLines))
    var hasRequest = false
    for line in 0..<first.count where !first.isDoubtful(line) {
      guard covered.contains(line) else { return [] }
      hasRequest = hasRequest || first.table.digests[line].isRequest
    }
    return hasRequest ? taken : []
  }

  // MARK: Shorter rows

  /// Adds rows if only damage is between them and one that counts, the longest first.
  private func addShorter(_ shorter: [CommonRow], _ taken: inout [CommonRow]) {
    var rest = Array(
      shorter.sorted { ($1.count, $0.first, $0.second) < ($0.count, $1.first, $1.second) }
        .prefix(Self.mostShorter))
    while let next = rest.firstIndex(where: { joins($0, taken) }) {
      taken.append(rest.remove(at: next))
    }
  }

  private func joins(_ row: CommonRow, _ taken: [CommonRow]) -> Bool {
    guard !taken.contains(where: { $0.overlaps(row) }) else { return false }
    let before = taken.filter { $0.first < row.first && $0.second < row.second }.max(by: <)
    let after = taken.filter { $0.first > row.first && $0.second > row.second }.min(by: <)
    func areNear(_ left: CommonRow, _ right: CommonRow) -> Bool {
      guard isDamageOnly(between: left, right) else { return false }
      return left.diagonal == right.diagonal || has(2, timesIn: row)
    }
    return before.map { areNear($0, row) } == true || after.map { areNear(row, $0) } == true
  }

  /// Returns whether nothing is between two rows but what damage changed or lost in one of the inputs.
  func isDamageOnly(between left: CommonRow, _ right: CommonRow) -> Bool {
    let (low, high) = Self.gap(left, right)
    return (first.damage.doubtful.covers(low) || second.damage.touches(high))
      && (second.damage.doubtful.covers(high) || first.damage.touches(low))
  }

  static func gap(_ left: CommonRow, _ right: CommonRow) -> (first: Range<Int>, second: Range<Int>)
  {
    (
      left.firstLines.upperBound..<max(left.firstLines.upperBound, right.first),
      left.secondLines.upperBound..<max(left.secondLines.upperBound, right.second)
    )
  }
}

/// The JSON objects that an input has and another one has not, as far as they are beside rows.
private struct OwnLines {
  /// For each place between lines: whether own lines are before or after it, up to damage or an end.
  private var isFreeBefore: [Bool] = [true]
  private var isFreeAfter: [Bool]

  init(_ input: ComparedInput, _ other: ComparedInput) {
    let count = input.count
    let isOwn = (0..<count).map { line in
      input.table.digests[line].isObject && !other.has(input.content(line))
    }
    isFreeBefore.reserveCapacity(count + 1)
    for line in 0..<count {
      isFreeBefore.append(
        input.isDoubtful(line) || input.damage.isLost(before: line + 1)
          || !isOwn[line] && isFreeBefore[line])
    }
    isFreeAfter = [Bool](repeating: true, count: count + 1)
    for line in (0..<count).reversed() {
      isFreeAfter[line] =
        input.isDoubtful(line) || input.damage.isLost(before: line)
        || !isOwn[line] && isFreeAfter[line + 1]
    }
  }

  func areNone(before row: Range<Int>) -> Bool { isFreeBefore[row.lowerBound] }
  func areNone(after row: Range<Int>) -> Bool { isFreeAfter[row.upperBound] }
}
