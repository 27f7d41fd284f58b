internal import Basics

/// A line is read once (`records.md`, "Lines that were read before"): the decision which lines of a run's inputs are
/// passed over, which lines other inputs supersede, and which damaged places are repaired.
///
/// Two inputs with rows that count are linked, and what a link says holds for both of them: which doubtful lines of one
/// the other confirms or supersedes, and which damaged places it repairs. Only where a line is read depends on an order.
/// In it the inputs that are accounted for come first, each at its own place. An input that is another log comes last
/// (`pipeline.R15`): it explains nothing of the others, and no line counts as read because it has it.
///
/// The decision knows nothing of files, states or reports. It follows from the tables alone, and their order. What it
/// returns has the inputs' own numbers of lines.
struct ReadOnce {
  /// One of the inputs with rows in common with an input.
  private struct Link {
    let other: Int
    /// The rows that count, the lines of the input itself first.
    let pair: InputPair
  }

  /// The inputs in order: those of earlier runs, then those of this run.
  private let inputs: [ComparedInput]
  /// The links of each input, in the order of the other ones.
  private var links: [[Link]]
  /// The largest share of unreadable lines of an input that is accounted for, or nil if no input is another log.
  private let rejectRate: Double?
  private var last: Set<Int> = []
  private var places: [Int?] = []
  private var placedCount = 0
  private var confirmed: [LineRanges] = []
  private var superseded: [LineRanges] = []
  private var passed: [LineRanges] = []

  /// Decides.
  ///
  /// - Parameters:
  ///   - candidates: The pairs that might have rows in common, the later input of each being one of this run.
  ///   - readsAgain: Whether the run reads again what earlier runs read: their inputs come last.
  init(
    _ inputs: [ComparedInput], candidates: Set<CommonRequests.Pair>, readsAgain: Bool = false,
    rejectRate: Double? = nil
  ) {
    self.inputs = inputs
    self.rejectRate = rejectRate
    links = inputs.map { _ in [] }
    for both in candidates.sorted(by: { ($0.second, $0.first) < ($1.second, $1.first) }) {
      let pair = InputPair(inputs[both.first], inputs[both.second])
      guard !pair.counting.isEmpty else { continue }
      links[both.first].append(Link(other: both.second, pair: pair))
      links[both.second].append(Link(other: both.first, pair: pair.turned))
    }
    if readsAgain { last = Set(inputs.indices.filter { inputs[$0].isEarlier }) }
    var others: [Int] = []
    repeat {
      last.formUnion(others)
      confirmed = inputs.indices.map(confirmedLines)
      superseded = supersededLines()
      others = arrange()
    } while !others.isEmpty
    for index in last.sorted() { place(index) }
  }

  private func explanations(of index: Int) -> [Link] {
    last.isEmpty || last.contains(index)
      ? links[index] : links[index].filter { !last.contains($0.other) }
  }

  // MARK: Superseded lines

  /// Returns the doubtful lines of an input that are equal to a sound line.
  private func confirmedLines(_ index: Int) -> LineRanges {
    guard !inputs[index].damage.doubtful.isEmpty else { return LineRanges() }
    var lines: [Int] = []
    for link in explanations(of: index) {
      for row in link.pair.counting {
        lines += inputs[index].damage.doubtful.lines(in: row.firstLines)
          .filter { !inputs[link.other].isDoubtful($0 - row.diagonal) }
      }
    }
    return LineRanges(lines: lines)
  }

  /// Returns the lines of each input that other inputs' lines replace, or did in earlier runs.
  private func supersededLines() -> [LineRanges] {
    let found = inputs.indices.map { index in
      explanations(of: index).reduce(into: LineRanges()) {
        $0.formUnion($1.pair.superseded(besides: confirmed[index]))
      }
    }
    // What is equal to a sound line of any input was no work of damage.
    let contents = Set(zip(inputs, found).flatMap { $1.lines.map($0.content) })
    var sound: Set<UInt64> = []
    for input in inputs where !contents.isEmpty {
      for line in 0..<input.count
      where contents.contains(input.content(line)) && !input.isDoubtful(line) {
        sound.insert(input.content(line))
      }
    }
    return zip(inputs, found).map { input, lines in
      var superseded = input.superseded
      superseded.formUnion(lines.filter { !sound.contains(input.content($0)) })
      return superseded
    }
  }

  // MARK: The order

  /// Gives all inputs their places but for those that come last, and returns those that turn out to be another log.
  private mutating func arrange() -> [Int] {
    places = inputs.map { _ in nil }
    passed = inputs.map { _ in LineRanges() }
    var waiting = inputs.indices.filter { !last.contains($0) }
    var count = 0
    repeat {
      count = waiting.count
      var others: [Int] = []
      // One of which all unreadable lines were read in an input behind it is no other log.
      for index in waiting { if isOtherLog(index) { others.append(index) } else { place(index) } }
      waiting = others
    } while !waiting.isEmpty && waiting.count < count
    return waiting
  }

  private mutating func place(_ index: Int) {
    passed[index] = linesInFront(of: index)
    places[index] = placedCount
    placedCount += 1
  }

  /// Returns whether too many of the lines that are left to read of an input are unreadable.
  private func isOtherLog(_ index: Int) -> Bool {
    let input = inputs[index]
    guard let rejectRate, !input.isEarlier else { return false }
    let most = rejectRate * Double(input.count)
    guard Double(input.table.unreadable.count) > most else { return false }
    let passed = linesInFront(of: index)
    let unread = input.table.unreadable.filter {
      !passed.contains($0) && !superseded[index].contains($0)
    }
    return Double(unread.count) > most
  }

  /// Returns the lines of an input that are, not superseded, in a copy within an input that has its place.
  private func linesInFront(of index: Int) -> LineRanges {
    var lines = inputs[index].begun.ranges
    for link in links[index] where places[link.other] != nil {
      for row in link.pair.counting {
        var start = row.second
        let gaps = superseded[link.other].ranges.map { $0.clamped(to: row.secondLines) }
        for gap in gaps where !gap.isEmpty {
          lines.append(start + row.diagonal..<gap.lowerBound + row.diagonal)
          start = gap.upperBound
        }
        lines.append(start + row.diagonal..<row.firstLines.upperBound)
      }
    }
    return LineRanges(lines)
  }

  // MARK: What was decided

  func unread(_ index: Int) -> LineRanges {
    var lines = passed[index]
    lines.formUnion(superseded[index])
    return inputs[index].own(lines)
  }

  func superseded(_ index: Int) -> LineRanges { inputs[index].own(superseded[index]) }

  /// Returns whether an input of this run is another log, which the run does not account for.
  func isSetAside(_ index: Int) -> Bool { last.contains(index) }

  func originals(_ index: Int) -> [Int] {
    links[index].map(\.other).filter { places[$0] ?? 0 < places[index] ?? 0 }
  }

  /// Returns the indices of the inputs of earlier runs that are an input of this run, or have grown to it.
  func origins(_ index: Int) -> [Int] {
    links[index].filter { inputs[$0.other].isEarlier && $0.pair.isGrown }.map(\.other)
  }

  /// Returns the rows of an input of this run that inputs of earlier runs have, the lines of those first.
  func earlierRows(_ index: Int) -> [(earlier: Int, row: CommonRow)] {
    links[index].filter { inputs[$0.other].isEarlier }.flatMap { link in
      link.pair.turned.counting.flatMap { inputs[link.other].own($0, with: inputs[index]) }
        .map { (link.other, $0) }
    }
  }

  /// Returns the damaged places of an input that another input repairs (`records.R102`). Each of a place's doubtful lines
  /// has to be explained as well: a line that only the damaged input contains is a reason to keep the finding, unless it is a
  /// part of one.
  func repaired(_ index: Int) -> [LineDamage.Place] {
    let input = inputs[index]
    return zip(input.damage.places, input.places).filter { place, _ in
      let unexplained = place.lines.filter {
        $0 < input.count && !confirmed[index].contains($0) && !superseded[index].contains($0)
      }
      return explanations(of: index).contains { link in
        link.pair.repairs(place) && unexplained.allSatisfy(link.pair.isPart)
      }
    }.map(\.1)
  }
}
