internal import Basics

/// A line is read once (`records.md`, "Lines that were read before"): the decision which lines of a run's inputs are
/// passed over, which lines other inputs supersede, and which damaged places are repaired.
///
/// The decision knows nothing of files, states or reports. It follows from the tables alone, and their order.
struct ReadOnce {
  /// The inputs in order: those of earlier runs, then those of this run.
  let inputs: [ComparedInput]
  /// The pairs with rows that count, by the later input, then by the earlier one.
  private let pairs: [(first: Int, second: Int, rows: InputPair)]

  /// Decides.
  ///
  /// - Parameter candidates: The pairs of inputs that might have rows in common, by their indices, the later input of
  ///   each being one of this run.
  init(_ inputs: [ComparedInput], candidates: [(first: Int, second: Int)]) {
    self.inputs = inputs
    pairs = candidates.sorted { ($0.second, $0.first) < ($1.second, $1.first) }.compactMap { pair in
      let rows = InputPair(inputs[pair.first], inputs[pair.second])
      return rows.counting.isEmpty ? nil : (pair.first, pair.second, rows)
    }
    confirm()
    supersede()
    pass()
  }

  // MARK: Superseded lines

  /// Finds the doubtful lines that are equal to a sound line.
  private func confirm() {
    for (_, _, pair) in pairs {
      for row in pair.counting {
        confirm(pair.first, row.firstLines, by: pair.second, row.second - row.first)
        confirm(pair.second, row.secondLines, by: pair.first, row.first - row.second)
      }
    }
  }

  private func confirm(
    _ input: ComparedInput, _ lines: Range<Int>, by other: ComparedInput, _ step: Int
  ) {
    guard input.damage.doubtful.intersects(lines) else { return }
    let doubtful = input.damage.doubtful.ranges.map { $0.clamped(to: lines) }.joined()
    input.confirm(
      LineRanges(doubtful.filter { !other.isDoubtful($0 + step) }.map { $0..<($0 + 1) }))
  }

  private func supersede() {
    var found = [LineRanges](repeating: LineRanges(), count: inputs.count)
    for (first, second, pair) in pairs {
      for (index, lines) in [(first, pair.supersededInFirst), (second, pair.supersededInSecond)] {
        found[index].formUnion(lines)
      }
    }
    // What is equal to a sound line of any input was no work of damage.
    let doubtful = inputs.indices.flatMap { index in
      found[index].ranges.joined().map { inputs[index].content($0) }
    }
    guard !doubtful.isEmpty else { return }
    let contents = Set(doubtful)
    var sound: Set<UInt64> = []
    for input in inputs {
      for line in 0..<input.count
      where contents.contains(input.content(line)) && !input.isDoubtful(line) {
        sound.insert(input.content(line))
      }
    }
    for (input, lines) in zip(inputs, found) where !lines.isEmpty {
      input.supersede(
        LineRanges(
          lines.ranges.joined().filter { !sound.contains(input.content($0)) }.map { $0..<($0 + 1) })
      )
    }
  }

  // MARK: Lines that were read before

  /// Passes over the lines of copies that an earlier line, which is not superseded, is equal to.
  private func pass() {
    for (_, _, pair) in pairs {
      for row in pair.counting {
        var lines = LineRanges()
        var start = row.first
        for gap in pair.first.superseded.ranges.map({ $0.clamped(to: row.firstLines) })
        where !gap.isEmpty {
          lines.append((start..<gap.lowerBound).moved(by: -row.diagonal))
          start = gap.upperBound
        }
        lines.append((start..<row.firstLines.upperBound).moved(by: -row.diagonal))
        pair.second.pass(lines)
      }
    }
  }

  /// Returns the lines of an input, by its own numbers, that are not read: passed over, or superseded.
  func unread(_ index: Int) -> LineRanges {
    var lines = inputs[index].passed
    lines.formUnion(inputs[index].superseded)
    return inputs[index].own(lines)
  }

  /// Returns the rows of an input of this run that were read before, with the indices of the inputs that have them, in
  /// order.
  func copies(_ index: Int) -> [(other: Int, row: CommonRow)] {
    pairs.filter { $0.second == index }.flatMap { pair in
      pair.rows.counting.map { (pair.first, $0) }
    }
  }

  /// Returns the indices of the inputs that have rows in common with an input.
  func partners(_ index: Int) -> [Int] {
    pairs.compactMap { pair in
      pair.first == index ? pair.second : pair.second == index ? pair.first : nil
    }
  }

  /// Returns the index of the latest input of an earlier run that is an input of this run, or has grown to it.
  func origin(_ index: Int) -> Int? {
    pairs.last { $0.second == index && inputs[$0.first].isEarlier && $0.rows.isGrown }?.first
  }

  // MARK: Damaged places

  /// Returns the damaged places of an input that another input repairs (`records.R102`). Each of a place's doubtful lines
  /// has to be explained as well: a line that only the damaged input contains is a reason to keep the finding.
  func repaired(_ index: Int) -> [LineDamage.Place] {
    let input = inputs[index]
    return zip(input.damage.places, input.places).filter { place, _ in
      let isExplained = place.lines.allSatisfy {
        $0 >= input.count || input.confirmed.contains($0) || input.superseded.contains($0)
      }
      return isExplained
        && pairs.contains { pair in
          pair.first == index && pair.rows.repairsFirst(place)
            || pair.second == index && pair.rows.repairsSecond(place)
        }
    }.map(\.1)
  }
}

extension InputPair {
  /// The same pair with the inputs in the other order, for what holds of both.
  private struct View {
    let input: ComparedInput
    let other: ComparedInput
    /// The rows that count, with the lines of `input` first.
    let rows: [CommonRow]
    let isDamageOnly: (CommonRow, CommonRow) -> Bool

    /// Returns the doubtful lines among some that the other input's lines replace.
    func replaced(_ lines: Range<Int>, by others: Range<Int>, _ isMeant: (Int) -> Bool)
      -> LineRanges
    {
      guard !lines.isEmpty, input.damage.whole(lines) <= others.count,
        !other.damage.touches(others)
      else { return LineRanges() }
      let doubtful = input.damage.doubtful.ranges.map { $0.clamped(to: lines) }.joined()
      return LineRanges(
        doubtful.filter { !input.confirmed.contains($0) && isMeant($0) }.map { $0..<($0 + 1) })
    }

    /// The lines of `input` that are superseded (`records.R101`).
    var superseded: LineRanges {
      guard let first = rows.first, let last = rows.last, !input.damage.doubtful.isEmpty else {
        return LineRanges()
      }
      var found = LineRanges()
      for (left, right) in zip(rows, rows.dropFirst())
      where right.second >= left.secondLines.upperBound && isDamageOnly(left, right) {
        let gap = InputPair.gap(left, right)
        found.formUnion(replaced(gap.first, by: gap.second) { _ in true })
      }
      // Before the first row and after the last one the place might be another one.
      let areNamesakes = input.name == other.name
      let isMeant = { (line: Int) in areNamesakes || !input.table.digests[line].isObject }
      found.formUnion(replaced(0..<first.first, by: 0..<first.second, isMeant))
      let (end, otherEnd) = (last.firstLines.upperBound, last.secondLines.upperBound)
      found.formUnion(replaced(end..<input.count, by: otherEnd..<other.count, isMeant))
      if end < input.count, input.damage.cut.contains(end), otherEnd < other.count,
        !other.isDoubtful(otherEnd), !other.damage.isLost(before: otherEnd)
      {
        // The line that damage cut where the other input goes on.
        found.formUnion(LineRanges([end..<(end + 1)]))
      }
      return found
    }

    /// Returns whether the other input, undamaged there, has rows on both sides of a damaged place, or goes on where it
    /// ends.
    func repairs(_ place: LineDamage.Place) -> Bool {
      let line = place.line
      if let row = rows.first(where: { $0.first < line && line < $0.firstLines.upperBound }) {
        return !other.damage.touches(line - row.diagonal..<line - row.diagonal)
      }
      let left = rows.last { $0.firstLines.upperBound <= line }
      let right = rows.first { $0.first >= line }
      let low = left?.firstLines.upperBound ?? 0
      let high = right?.first ?? input.count
      guard left != nil || right != nil, low <= line, line <= high,
        input.damage.doubtful.covers(low..<high)
      else { return false }
      let otherLow = left?.secondLines.upperBound ?? 0
      let otherHigh = right?.second ?? other.count
      guard otherLow <= otherHigh else { return false }
      if left != nil, right != nil { return !other.damage.touches(otherLow..<otherHigh) }
      // The damage is at an end of the input. If bytes are missing, they are confirmed only if the other one goes on.
      let (beside, next) = left == nil ? (otherHigh, otherHigh - 1) : (otherLow, otherLow)
      let goesOn = (0..<other.count).contains(next)
      return !other.damage.isLost(before: beside)
        && (goesOn ? !other.isDoubtful(next) : !input.damage.isLost(before: line))
    }
  }

  private var ofFirst: View {
    View(input: first, other: second, rows: counting, isDamageOnly: isDamageOnly)
  }

  private var ofSecond: View {
    func turned(_ row: CommonRow) -> CommonRow {
      CommonRow(first: row.second, second: row.first, count: row.count)
    }
    return View(input: second, other: first, rows: counting.map(turned).sorted(by: <)) {
      isDamageOnly(between: turned($0), turned($1))
    }
  }

  var supersededInFirst: LineRanges { ofFirst.superseded }
  var supersededInSecond: LineRanges { ofSecond.superseded }
  func repairsFirst(_ place: LineDamage.Place) -> Bool { ofFirst.repairs(place) }
  func repairsSecond(_ place: LineDamage.Place) -> Bool { ofSecond.repairs(place) }
}

extension Range<Int> {
  fileprivate func moved(by step: Int) -> Range<Int> { lowerBound + step..<upperBound + step }
}
