package import AppAttest
internal import AuditEngine
internal import AuditLog
internal import Basics

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
    case replay
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

/// Two rising sequences of counters of one key: the private key is in two places.
package struct CounterFork: Sendable, Equatable {
  /// The event after which the sequences part, or nil if the second one begins first.
  package var parting: Int?
  package var first: Int
  /// The event with which the first sequence continues after the parting, or nil if it does not.
  package var next: Int?
  /// The sequence, 0 or 1, of each event that belongs to one, by the timeline's indices.
  package var branch: [Int: Int]
  package var length: Int

  /// The smallest number of events of the second sequence, and of its turns with the first.
  private static let leastEvents = 2
  private static let leastTurns = 2

  /// Finds the fork of a key, if any. An event goes to the sequence that it continues best, a replay to none.
  package static func find(_ timeline: Timeline, key: Digest256) -> CounterFork? {
    // The last event of each sequence.
    var tails: [(counter: UInt32, time: Int64)] = []
    var used: [UInt32: Set<[UInt8]>] = [:]
    var fork = CounterFork(parting: nil, first: 0, branch: [:], length: 0)
    var turns = 0
    var last = 0
    for (index, event) in timeline.events.enumerated() {
      guard event.keyID == key, event.isVerified, event.kind == RecordKind.assertion.name,
        let counter = event.counter, let time = event.time
      else { continue }
      let isReplay = used[counter]?.contains(event.clientDataHash) == true
      let isRepeated = used[counter] != nil
      used[counter, default: []].insert(event.clientDataHash)
      if isReplay { continue }
      let lower = tails.indices.filter { tails[$0].counter < counter }
      let place = lower.max { tails[$0].counter < tails[$1].counter } ?? tails.count
      if place == tails.count {
        if !isRepeated, let first = tails.first, time - first.time <= timeline.reorderTolerance {
          fork.branch[index] = 0
          continue
        }
        guard place < 2 else { continue }
        if place == 1 { fork.first = index }
        tails.append((counter, time))
      }
      tails[place] = (counter, time)
      fork.branch[index] = place
      if place == 1 { fork.length += 1 }
      if tails.count == 2, place != last { turns += 1 }
      last = place
    }
    guard fork.length >= leastEvents, turns > leastTurns else { return nil }
    fork.parting = parting(timeline, fork)
    if let parting = fork.parting {
      fork.next = fork.branch.keys.filter { $0 > parting && fork.branch[$0] == 0 }.min()
    }
    return fork
  }

  /// Returns the last event of the first sequence before the second one that has a lower counter.
  private static func parting(_ timeline: Timeline, _ fork: CounterFork) -> Int? {
    guard let counter = timeline.events[fork.first].counter else { return nil }
    return (0..<fork.first).last { index in
      fork.branch[index] == 0 && (timeline.events[index].counter ?? .max) < counter
    }
  }
}

/// The builds of one key's events, in order of their first event.
package struct KeyBuilds: Sendable {
  package struct Entry: Sendable {
    /// Its version, category and the beginning of its code hash. Texts are in the form of a report's tables.
    package let name: String
    /// The letter for it: A to H. All further builds share the last entry, with `+`.
    package let letter: String
    package fileprivate(set) var events = 0
    package let first: Int64?
  }

  private static let limit = 8

  package private(set) var entries: [Entry] = []
  private var places: [String: Int] = [:]

  package init(_ events: some Sequence<TimelineEvent>) {
    for event in events {
      guard let name = event.signedBuild, places[name] != nil || place(name, event.time) else {
        continue
      }
      entries[places[name] ?? 0].events += 1
    }
  }

  package var areSeveral: Bool { entries.count > 1 }

  /// Returns the index of an event's build in ``entries``, or nil if it shows none.
  package func index(of event: TimelineEvent) -> Int? { event.signedBuild.flatMap { places[$0] } }

  private mutating func place(_ name: String, _ time: Int64?) -> Bool {
    if entries.count <= Self.limit {
      let isLast = entries.count == Self.limit
      entries.append(
        Entry(
          name: isLast ? "further builds" : name,
          letter: isLast ? "+" : String(UnicodeScalar(UInt8(ascii: "A") + UInt8(entries.count))),
          first: time))
    }
    places[name] = entries.count - 1
    return true
  }
}

extension TimelineEvent {
  /// The build that Apple's system signed, or nil. A failed policy on builds does not matter.
  fileprivate var signedBuild: String? {
    let isPolicy = codes.allSatisfy { code in
      code.hasSuffix(".category_mismatch") || code.hasSuffix(".code_mismatch")
        || !code.hasPrefix("assertion.") && !code.hasPrefix("attestation.")
    }
    guard isVerified || verdict == Verdict.failed.name && isPolicy else { return nil }
    let parts = [bundleVersion, category, String(Hex.text(codeHash).prefix(12))]
      .filter { !$0.isEmpty }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }
}
