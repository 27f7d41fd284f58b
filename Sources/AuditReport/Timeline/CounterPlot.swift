package import AppAttest
internal import AuditEngine

/// The counter against time of one key, for drawing on a terminal and in a picture.
package struct CounterPlot: Sendable {
  /// The marks for events. A more severe mark covers a lesser one.
  package enum Mark: UInt8, Sendable, CaseIterable, Comparable {
    /// An event of the first sequence, or of the only one.
    case first
    /// An event of the second sequence of a fork.
    case second
    /// An event of one sequence whose counter was used before, or is below an earlier one.
    case repeated
    /// A request that came again.
    case replay
    /// An event that did not verify.
    case failed

    package static func < (left: Mark, right: Mark) -> Bool { left.rawValue < right.rawValue }

    private static let legend = [
      ("•", "verified"), ("○", "second sequence"), ("◆", "counter used before"), ("×", "replayed"),
      ("!", "not verified"),
    ]

    package var letter: String { Self.legend[Int(rawValue)].0 }

    package var words: String { Self.legend[Int(rawValue)].1 }
  }

  struct Point {
    var time: Int64
    var counter: UInt32
    var mark: Mark
    var index: Int
    /// The index of its build in ``KeyBuilds/entries``, or nil if it shows none.
    var build: Int?
  }

  /// The codes of counters that are not higher than all before them.
  private static let codesOfUsedCounters = [FindingCode.counterRepeated, .counterRegression]
    .map(\.name)

  let points: [Point]
  package let builds: KeyBuilds
  package let fork: CounterFork?

  /// Makes the plot of a key, or nil if fewer than two of its events have a counter and a time.
  package init?(_ timeline: Timeline, key: Digest256) {
    let fork = CounterFork.find(timeline, key: key)
    let builds = KeyBuilds(timeline.events.lazy.filter { $0.keyID == key })
    let points = timeline.events.indices.compactMap { index -> Point? in
      let event = timeline.events[index]
      guard event.keyID == key, let counter = event.counter, let time = event.time else {
        return nil
      }
      let mark: Mark
      if event.codes.contains(where: { $0.hasPrefix("replay.") }) {
        mark = .replay
      } else if !event.isVerified, builds.index(of: event) == nil {
        mark = .failed
      } else if fork == nil, event.codes.contains(where: Self.codesOfUsedCounters.contains) {
        mark = .repeated
      } else {
        mark = fork?.branch[index] == 1 ? .second : .first
      }
      return Point(
        time: time, counter: counter, mark: mark, index: index, build: builds.index(of: event))
    }
    guard points.count > 1 else { return nil }
    self.points = points
    self.builds = builds
    self.fork = fork
  }

  package var marks: [Mark] { Mark.allCases.filter { mark in points.contains { $0.mark == mark } } }

  package var legend: String {
    marks.map { mark in
      let letters =
        mark == .first && builds.areSeveral ? builds.entries.map(\.letter) : [mark.letter]
      return "\(letters.joined(separator: " ")) \(mark.words)"
    }.joined(separator: "   ")
  }

  var times: ClosedRange<Int64> {
    let times = points.map(\.time)
    return (times.min() ?? 0)...(times.max() ?? 0)
  }

  var counters: ClosedRange<UInt32> {
    let counters = points.map(\.counter)
    return (counters.min() ?? 0)...(counters.max() ?? 0)
  }

  /// Returns the position of a value between the ends, from 0 to 1, or the middle.
  static func share(_ value: Double, _ low: Double, _ high: Double) -> Double {
    high > low ? (value - low) / (high - low) : 0.5
  }

  /// Returns the letter of a point: that of its build if the key has several.
  private func letter(_ point: Point) -> String {
    guard builds.areSeveral, point.mark == .first, let build = point.build else {
      return point.mark.letter
    }
    return builds.entries[build].letter
  }

  /// Returns lines for a terminal: at most `width` columns, and 14 lines.
  package func lines(width: Int) -> [String] {
    let labels = [String(counters.upperBound), String(counters.lowerBound)]
    let labelWidth = labels.map(\.count).max() ?? 1
    let columns = max(20, min(width - labelWidth - 3, 100))
    let rows = 12
    var grid = [[Point?]](repeating: [Point?](repeating: nil, count: columns), count: rows)
    let (times, counters) = (times, counters)
    for point in points {
      let x = Self.share(Double(point.time), Double(times.lowerBound), Double(times.upperBound))
      let y = Self.share(
        Double(point.counter), Double(counters.lowerBound), Double(counters.upperBound))
      let column = Int((x * Double(columns - 1)).rounded())
      let row = rows - 1 - Int((y * Double(rows - 1)).rounded())
      if grid[row][column].map({ $0.mark <= point.mark }) ?? true { grid[row][column] = point }
    }
    var lines = grid.enumerated().map { index, row in
      let label = index == 0 ? labels[0] : index == rows - 1 ? labels[1] : ""
      let pad = String(repeating: " ", count: labelWidth - label.count)
      var line = "\(pad)\(label) │" + row.map { $0.map(letter) ?? " " }.joined()
      while line.last == " " { line.removeLast() }
      return line
    }
    let pad = String(repeating: " ", count: labelWidth)
    lines.append("\(pad) └" + String(repeating: "─", count: columns))
    let (start, end) = (PageTime.minute(times.lowerBound), PageTime.minute(times.upperBound))
    let gap = max(1, columns - start.count - end.count)
    lines.append("\(pad)  \(start)" + String(repeating: " ", count: gap) + end)
    return lines
  }
}
