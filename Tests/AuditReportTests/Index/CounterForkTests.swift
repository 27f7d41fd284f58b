import AppAttest
import AuditLog
import Foundation
import Testing

@testable import AuditEngine
@testable import AuditReport

/// Forks of a key's counters, and the plots of them.
struct CounterForkTests {
  private static let key = Rows.keyID

  private static func event(_ second: Int64, _ counter: UInt32, text: String) -> VerdictRow {
    var event = VerdictRow(
      position: Position(source: 0, line: 1), verdict: .valid, codes: [])
    event.time = second * 1000
    event.kind = .assertion
    event.keyID = key
    event.appID = text
    event.counter = counter
    event.subject = text
    event.requestID = text
    return event
  }

  /// Returns assertions with these seconds and counters. With `replays`, those of one counter have
  /// one hash.
  private static func timeline(
    _ events: [(Int64, UInt32)], replays: Bool = false, text: String = "r"
  ) -> Timeline {
    let sources = SourceNames([text])
    var rows: [TimelineEvent] = []
    for (index, pair) in events.enumerated() {
      var row = event(pair.0, pair.1, text: text)
      row.clientDataHash = [UInt8(replays ? 0 : index & 255), UInt8(pair.1 & 255)]
      rows.append(TimelineEvent(row, sources: sources))
    }
    return Timeline(rows)
  }

  private static func fork(
    _ events: [(Int64, UInt32)], replays: Bool = false
  ) -> CounterFork? {
    CounterFork.find(timeline(events, replays: replays), key: key)
  }

  @Test func `two devices that go on from one copy are a fork, which parts at the copy`() throws {
    var events: [(Int64, UInt32)] = (1...10).map { (Int64($0) * 60, UInt32($0)) }
    for step in 0..<8 {
      events.append((1000 + Int64(step) * 600, UInt32(11 + step * 3)))
      events.append((1200 + Int64(step) * 600, UInt32(11 + step)))
    }
    let fork = try #require(Self.fork(events))
    // The eleventh event is the first device's, the twelfth has its counter again.
    #expect(fork.first == 11 && fork.parting == 9)
    #expect(fork.length >= 4)
  }

  @Test func `a copy far behind is a fork`() throws {
    var events: [(Int64, UInt32)] = []
    for step in 0..<6 {
      events.append((Int64(step) * 600, UInt32(100 + step)))
      events.append((Int64(step) * 600 + 300, UInt32(5 + step)))
    }
    let fork = try #require(Self.fork(events))
    #expect(fork.first == 1 && fork.parting == nil && fork.length == 6)
  }

  /// Returns counters that rise from 1, one each 100 seconds.
  private static func rising(_ count: UInt32, from second: Int64 = 0) -> [(Int64, UInt32)] {
    (1...count).map { (second + Int64($0) * 100, $0) }
  }

  private static let honest: [String: [(Int64, UInt32)]] = [
    "one device": rising(30),
    "gaps": rising(30).map { ($0.0, $0.1 * $0.1) },
    "logged in the wrong order within the tolerance": [
      (0, 1), (10, 3), (20, 2), (30, 5), (40, 4), (50, 7), (60, 6), (70, 9), (80, 8),
    ],
    "set back for two requests": rising(10) + [(5000, 4), (5100, 5), (5200, 11)],
    "set back once: the first sequence does not go on": rising(10) + rising(10, from: 5000),
    "one that came late": [(0, 1), (100, 2), (200, 4), (300, 3), (400, 5), (500, 6)],
    "nothing": [], "one event": [(0, 1)],
  ]

  @Test(arguments: honest.keys.sorted()) func `one device is no fork`(_ name: String) throws {
    #expect(Self.fork(try #require(Self.honest[name])) == nil)
  }

  @Test func `replays are no fork`() {
    let events = Self.rising(10).flatMap { [$0, ($0.0 + 50, $0.1)] }
    #expect(Self.fork(events, replays: true) == nil)
    // The same counters over other requests are.
    #expect(Self.fork(events) != nil)
  }

  @Test func `without a fork, counters that were used before have a mark`() throws {
    func marks(_ events: [(Int64, UInt32)]) throws -> [CounterPlot.Mark] {
      var timeline = Self.timeline(events)
      timeline = Timeline(
        timeline.events.enumerated().map { index, event in
          var event = event
          event.codes = index > 4 ? [FindingCode.counterRepeated.name] : []
          return event
        })
      let plot = try #require(CounterPlot(timeline, key: Self.key))
      #expect(plot.lines(width: 80).contains { $0.contains("◆") } == plot.marks.contains(.repeated))
      return plot.marks
    }
    #expect(try marks(Self.rising(5) + Self.rising(5, from: 5000)) == [.first, .repeated])
    #expect(try marks(Self.rising(5).flatMap { [$0, ($0.0 + 50, $0.1)] }) == [.first, .second])
  }

  @Test func `counters and times at the ends of their range are drawn`() throws {
    let ends: [(Int64, UInt32)] = [
      (Int64.min / 1000, UInt32.max), (0, 0), (Int64.max / 1000, UInt32.max),
    ]
    let timeline = Timeline(
      ends.map { time, counter in
        var row = Self.event(time, counter, text: "")
        row.verdict = .failed
        row.codes = [.replayAssertion]
        return TimelineEvent(row, sources: SourceNames(["a"]))
      })
    let plot = try #require(CounterPlot(timeline, key: Self.key))
    #expect(plot.lines(width: 80).allSatisfy { $0.count <= 80 })
    #expect(plot.lines(width: 0).count == 14)
    #expect(plot.marks == [CounterPlot.Mark.replay])
    var rows = RowBuffer()
    CounterPicture(plot, timeline, key: Self.key).write(to: &rows)
    #expect(rows.count > 100)
  }

  @Test(arguments: StoredReportTests.hostile)
  func `text of a log does nothing in a picture`(_ text: String) throws {
    let timeline = Self.timeline([(0, 1), (60, 2), (120, 3)], text: text)
    let plot = try #require(CounterPlot(timeline, key: Self.key))
    var rows = RowBuffer()
    CounterPicture(plot, timeline, key: Self.key).write(to: &rows)
    let picture = String(decoding: rows.bytes, as: UTF8.self)
    for part in ["<script", "<img", "javascript:", "onerror=alert(1)>"] {
      #expect(!picture.contains(part))
    }
    for scalar in picture.unicodeScalars where scalar != "\n" {
      #expect(scalar.properties.generalCategory != .control)
      #expect(scalar.value != 0x202E)
    }
    // It is well-formed as far as tags go.
    var open: [Substring] = []
    for match in picture.matches(of: /<(\/?)([a-z]+)([^<>]*)>/) {
      if match.output.1 == "/" {
        #expect(open.popLast() == match.output.2)
      } else if !match.output.3.hasSuffix("/") {
        open.append(match.output.2)
      }
    }
    #expect(open.isEmpty)
  }
}
