import AppAttest
import AuditReport
import Basics

/// A timeline for people: for each key the notable facts and a plot, then every event.
struct TimelineText {
  let timeline: Timeline
  let width: Int
  /// The characters of the folders that all logs have in common.
  private let shared: Int

  init(timeline: Timeline, width: Int) {
    (self.timeline, self.width) = (timeline, width)
    let folders = Set(timeline.events.map(\.source)).map {
      $0.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    }
    let common = folders.reduce(folders.first ?? []) { shared, folder in
      zip(shared, folder).prefix { $0 == $1 }.map(\.0)[...]
    }
    shared = common.reduce(0) { $0 + $1.count + 1 }
  }

  private static let plotLimit = 5

  var text: String {
    guard !timeline.events.isEmpty else { return "no events\n" }
    let keys = timeline.keys
    var lines: [String] = []
    for key in keys.prefix(Self.plotLimit) { lines += about(key) }
    if keys.count > Self.plotLimit {
      lines += [SummaryNumber.counted(keys.count - Self.plotLimit, "further key"), ""]
    }
    let builds = Dictionary(grouping: timeline.events, by: \.keyID).mapValues { KeyBuilds($0) }
    for event in timeline.events {
      let ofKey = event.keyID == nil ? nil : builds[event.keyID]
      lines += rows(event, ofKey, named: keys.count > 1)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func about(_ key: Digest256) -> [String] {
    let events = timeline.events.filter { $0.keyID == key }
    var lines = ["key \(key.hex)"]
    var parts = [SummaryNumber.counted(events.count, "event")]
    let unverified = events.count { $0.verdict == "unverifiable" }
    let bad = events.filter { $0.verdict == "flagged" || $0.verdict == "failed" }
    for (name, count) in [
      ("with findings", bad.count),
      ("of these accepted", bad.count { $0.decision == "accepted" }),
      ("not checked", unverified),
    ] where count > 0 {
      parts.append("\(SummaryNumber.grouped(UInt64(count))) \(name)")
    }
    lines.append("  " + parts.joined(separator: ", "))
    if events.count == unverified {
      lines.append("  no registration of this key verifies here: add older logs, --keys or --state")
    } else if timeline.isOfOneNight {
      lines.append("  of this night only: earlier nights can have used the same counters")
    }
    lines += say(KeyBuilds(events))
    guard let plot = CounterPlot(timeline, key: key) else { return lines + [""] }
    if let fork = plot.fork { lines += say(fork) }
    lines.append("")
    lines += plot.lines(width: width)
    lines.append("  " + plot.legend)
    return lines + [""]
  }

  private func say(_ builds: KeyBuilds) -> [String] {
    builds.entries.map { build in
      let name = PrintableText.line(build.name, limit: 32)
      guard builds.areSeveral else { return "  build \(name)" }
      let first = build.first.map { String(CivilTime(milliseconds: $0).text.prefix(16)) } ?? ""
      let events = SummaryNumber.counted(build.events, "event")
      return "  build \(build.letter) \(name.padded(to: 32)) \(events) from "
        + first.replacing("T", with: " ")
    }
  }

  /// Returns the lines about a fork. No log can show which of the two sequences is the owner's.
  private func say(_ fork: CounterFork) -> [String] {
    var lines = [
      "  fork: two rising sequences of counters interleave; one private key is in two places"
    ]
    for (words, index) in [
      ("they part after", fork.parting), ("one goes on at", fork.next),
      ("another begins", Optional(fork.first)),
    ] {
      guard let index else { continue }
      let event = timeline.events[index]
      let place = name(event, limit: 20)
      lines.append("    \(words.padded(to: 15)) \(Self.place(event)) \(place)")
    }
    lines += [
      "    the second sequence has \(SummaryNumber.grouped(UInt64(fork.length))) events, by counters alone; compare clients",
      "    and user agents (inspect FILE:LINE) to see which request is whose",
    ]
    return lines
  }

  /// Returns the place of an event, such as `2026-03-01 07:15:06.108 (counter 12)`.
  private static func place(_ event: TimelineEvent) -> String {
    "\(stamp(event)) (counter \(event.counter.map { String($0) } ?? "?"))"
  }

  private func rows(_ event: TimelineEvent, _ builds: KeyBuilds?, named: Bool) -> [String] {
    let what =
      event.counter.map { "#\($0)" } ?? (event.kind == "assertion" ? "assertion" : event.kind)
    var row = [
      Self.stamp(event), what.padded(to: 11), event.verdict.padded(to: 12),
      event.decision.padded(to: 8),
    ]
    if let builds, builds.areSeveral {
      row.append(builds.index(of: event).map { builds.entries[$0].letter } ?? " ")
    }
    row.append(name(event, limit: row.count == 4 ? 22 : 20))
    var rows = [row.joined(separator: " ")]
    var more: [String] = []
    if named, let key = event.keyID { more.append("key \(key.hex.prefix(12))") }
    more += event.codes
    if !event.requestID.isEmpty, !event.codes.isEmpty {
      more.append("request \(PrintableText.beginning(event.requestID, limit: 40))")
    }
    if !more.isEmpty { rows.append("    " + more.joined(separator: " ")) }
    return rows
  }

  /// Returns the end of an event's place in a log, with the folders that tell the logs apart.
  private func name(_ event: TimelineEvent, limit: Int) -> String {
    PrintableText.line("\(event.source.dropFirst(shared)):\(event.line)", limit: limit)
  }

  private static func stamp(_ event: TimelineEvent) -> String {
    guard let time = event.time else { return "no time".padded(to: 23) }
    return CivilTime(milliseconds: time).text.replacing("T", with: " ").replacing("Z", with: "")
  }
}
