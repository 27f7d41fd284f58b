package import AppAttest
internal import AuditEngine
internal import AuditLog
internal import Basics
package import Files

/// The counter of a key against time as SVG without scripts, links or fonts, in the colours of `plot.css`.
package struct CounterPicture {
  private let key: Digest256
  private let points: [CounterPlot.Point]
  private let builds: KeyBuilds
  private let fork: CounterPlot.Point?
  /// The findings that are drawn as marks, the most severe first.
  private let findings: [PageRows.Row]
  /// The first and the last counter of a key of which no request is known.
  private let ends: [(time: Int64, counter: UInt32)]
  private let times: ClosedRange<Int64>
  private let counters: ClosedRange<UInt32>
  private let size: Size
  /// Returns the words about a point, or an empty text.
  private let words: (CounterPlot.Point) -> String

  private struct Size {
    let width: Double
    let height: Double
    let left: Double
    let top: Double
    let right: Double
    let bottom: Double
    let radius: Double

    static let file = Size(
      width: 960, height: 420, left: 90, top: 54, right: 24, bottom: 56, radius: 3)
    static let page = Size(
      width: 340, height: 150, left: 34, top: 15, right: 16, bottom: 20, radius: 1.5)
  }

  private static let limit = 20_000

  package init(_ plot: CounterPlot, _ timeline: Timeline, key: Digest256) {
    self.key = key
    points = Array(plot.points.prefix(Self.limit))
    builds = plot.builds
    fork = plot.fork.flatMap { fork in plot.points.first { $0.index == fork.first } }
    findings = []
    ends = []
    (times, counters) = (plot.times, plot.counters)
    size = .file
    words = { point in
      let event = timeline.events[point.index]
      var words = "\(CivilTime(milliseconds: point.time).text), counter \(point.counter), "
      words += "\(event.verdict) \(event.decision) \(event.codes.joined(separator: ", "))"
      words += ", \(PageText.cut(event.source)):\(event.line)"
      if !event.requestID.isEmpty { words += ", request \(PageText.cut(event.requestID))" }
      return words
    }
  }

  /// Makes the picture of a key on the page, or nil if there is nothing to draw.
  init?(_ entry: PageKeys.Entry, _ plot: PageHistory.Plot?, findings: [PageRows.Row]) {
    key = entry.keyID
    points = plot?.points ?? []
    builds = plot?.builds ?? KeyBuilds([TimelineEvent]())
    fork = plot?.fork
    self.findings = findings
    var (times, counters) = (points.map(\.time), points.map(\.counter))
    for row in findings {
      times += [row.finding.finding.time, row.original].compactMap(\.self)
      counters += [row.finding.finding.counter].compactMap(\.self)
    }
    var ends: [(time: Int64, counter: UInt32)] = []
    if let row = entry.row, let first = row.firstCounter, let last = row.lastCounter {
      ends = [(row.firstSeen, first), (row.lastSeen, last)]
      times += ends.map { $0.time }
      counters += ends.map { $0.counter }
    }
    self.ends = points.isEmpty ? ends : []
    guard let start = times.min(), let end = times.max(), let low = counters.min(),
      let high = counters.max()
    else { return nil }
    (self.times, self.counters) = (start...end, low...high)
    size = .page
    words = { _ in "" }
  }

  /// Writes the picture beside `path`, where there may be nothing or a file, and renames it.
  package func write(to path: String) throws(AuditError) {
    if let status = FileStatus(path: path, followsLinks: false), status.kind != .file {
      throw AuditError(.file(0), "cannot write \(path): it is \(status.kind.name)")
    }
    var rows = RowBuffer()
    write(to: &rows)
    let file = try ReplacingFile(path: path, mode: 0o600)
    let bytes = rows.bytes
    try file.append(bytes.span)
    try file.putInPlace()
  }

  func write(to out: inout RowBuffer) {
    let (width, height) = (Self.number(size.width), Self.number(size.height))
    if size.width == Size.file.width {
      out.append("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(width) \(height)\" ")
      out.append(ascii: "font-family=\"sans-serif\" role=\"img\">\n<style>")
      out.append(PageResource.plotStyle)
      out.append(
        ascii: "svg text { font-size: 13px; }</style>\n<title>Counter against time of key ")
      out.append("\(key.hex)</title>\n<rect width=\"100%\" height=\"100%\" class=\"paper\"/>\n")
      text(size.left, 22, "Counter against time, key \(key.hex)", to: &out)
    } else {
      out.append("<svg viewBox=\"0 0 \(width) \(height)\" role=\"group\" aria-label=\"Counter ")
      out.append("against time of key \(key.hex.prefix(12))\">")
    }
    writeAxes(to: &out)
    writeLines(to: &out)
    writePoints(to: &out)
    writeFindings(to: &out)
    if let fork {
      circle(
        fork.time, fork.counter, size.radius + 6, "ring",
        "The second sequence begins, \(CivilTime(milliseconds: fork.time).text), counter "
          + "\(fork.counter)", to: &out)
    }
    out.append(ascii: "</svg>\n")
  }

  // MARK: Places

  private func x(_ time: Int64) -> String {
    let share = CounterPlot.share(Double(time), Double(times.lowerBound), Double(times.upperBound))
    return Self.number(size.left + share * (size.width - size.left - size.right))
  }

  private func height(_ counter: UInt32) -> Double {
    let share = CounterPlot.share(
      Double(min(max(counter, counters.lowerBound), counters.upperBound)),
      Double(counters.lowerBound), Double(counters.upperBound))
    return size.height - size.bottom - share * (size.height - size.top - size.bottom)
  }

  private func y(_ counter: UInt32) -> String { Self.number(height(counter)) }

  private static func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
  }

  // MARK: Parts

  private func text(
    _ x: Double, _ y: Double, _ text: String, atEnd: Bool = false, to out: inout RowBuffer
  ) {
    out.append("<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\"")
    out.append(atEnd ? " text-anchor=\"end\">" : ">")
    out.append(html: text)
    out.append(ascii: "</text>\n")
  }

  private func title(_ text: String, to out: inout RowBuffer) {
    guard !text.isEmpty else { return }
    out.append(ascii: "<title>")
    out.append(html: text)
    out.append(ascii: "</title>")
  }

  private func circle(
    _ time: Int64, _ counter: UInt32, _ radius: Double, _ style: String, _ words: String,
    to out: inout RowBuffer
  ) {
    out.append("<circle cx=\"\(x(time))\" cy=\"\(y(counter))\" r=\"\(Self.number(radius))\" ")
    out.append("class=\"\(style)\">")
    title(words, to: &out)
    out.append(ascii: "</circle>\n")
  }

  private func writeAxes(to out: inout RowBuffer) {
    let (start, end) = (times.lowerBound, times.upperBound)
    let (low, high) = (counters.lowerBound, counters.upperBound)
    let (left, right) = (Self.number(size.left), Self.number(size.width - size.right))
    let (top, foot) = (Self.number(size.top), Self.number(size.height - size.bottom))
    out.append("<path d=\"M\(left) \(top)V\(foot)H\(right)\" class=\"axis\"/>\n")
    let below = size.height - size.bottom + 15
    text(size.left, below, PageTime.minute(start), to: &out)
    if end > start {
      text(size.width - size.right, below, PageTime.minute(end), atEnd: true, to: &out)
    }
    text(size.left - 6, height(low) + 3, String(low), atEnd: true, to: &out)
    if high > low { text(size.left - 6, height(high) + 3, String(high), atEnd: true, to: &out) }
    if size.width == Size.file.width {
      var at = size.left
      let marks = CounterPlot.Mark.allCases.filter { mark in points.contains { $0.mark == mark } }
      for mark in marks {
        text(at, size.height - 12, "\(mark.letter) \(mark.words)", to: &out)
        at += 24 + 8 * Double(mark.words.count)
      }
      if builds.areSeveral { writeBuilds(to: &out) }
    }
  }

  private func writeBuilds(to out: inout RowBuffer) {
    var at = size.left
    for (number, build) in builds.entries.enumerated() {
      let name = PrintableText.beginning(build.name, limit: 32)
      let width = 24 + 8 * Double(name.count)
      guard at + width < size.width else { return }
      out.append("<circle cx=\"\(Self.number(at + 4))\" cy=\"38\" r=\"4\" class=\"b\(number)\"/>\n")
      text(at + 12, 42, name, to: &out)
      at += width
    }
  }

  /// Writes the requests as lines: one for each sequence of a fork, and for each build.
  private func writeLines(to out: inout RowBuffer) {
    for marks in [[CounterPlot.Mark.first, .repeated], [.second]] {
      let line = points.filter { marks.contains($0.mark) }
      var start = 0
      while start < line.count - 1 {
        var end = start + 1
        while end < line.count - 1, line[end + 1].build == line[end].build { end += 1 }
        polyline(line[start...end].map { ($0.time, $0.counter) }, style(line[end]), to: &out)
        start = end
      }
    }
    if !ends.isEmpty { polyline(ends.map { ($0.time, $0.counter) }, "", to: &out) }
  }

  private func polyline(_ places: [(Int64, UInt32)], _ style: String, to out: inout RowBuffer) {
    out.append("<polyline class=\"line\(style)\" points=\"")
    for place in places { out.append("\(x(place.0)),\(y(place.1)) ") }
    out.append(ascii: "\"/>\n")
  }

  private func style(_ point: CounterPlot.Point) -> String {
    (point.mark == .second ? " second" : "")
      + (builds.areSeveral ? point.build.map { " b\($0)" } ?? "" : "")
  }

  private func writePoints(to out: inout RowBuffer) {
    let radius = builds.areSeveral ? size.radius + 1 : size.radius
    for point in points {
      switch point.mark {
      case .first, .second:
        circle(point.time, point.counter, radius, "dot" + style(point), words(point), to: &out)
      // The page has the findings, which say more.
      case .repeated, .replay, .failed:
        guard size.width == Size.file.width else { continue }
        let (shape, style) =
          switch point.mark {
          case .repeated: ("m-5 0l5 -5l5 5l-5 5z", "used")
          case .replay: ("m-4 -4l8 8m0 -8l-8 8", "cross")
          default: ("m-4 -4l8 8m0 -8l-8 8", "cross failed")
          }
        out.append("<path d=\"M\(x(point.time)) \(y(point.counter))\(shape)\" ")
        out.append("class=\"\(style)\">")
        title(words(point), to: &out)
        out.append(ascii: "</path>\n")
      }
    }
  }

  private func writeFindings(to out: inout RowBuffer) {
    for row in findings { writeRelation(row, to: &out) }
    for row in findings.reversed() {
      let finding = row.finding.finding
      guard let time = finding.time, let counter = finding.counter else { continue }
      let hollow = finding.decision == .accepted ? "" : " hollow"
      out.append("<a href=\"#fingerprint=\(Fingerprint.text(finding.fingerprint))\">")
      circle(
        time, counter, 4, "m\(finding.severity.rawValue)\(hollow)",
        "\(finding.code.entry.title), \(CivilTime(milliseconds: time).text), counter \(counter), "
          + (finding.decision == .unknown ? "not logged" : finding.decision.name), to: &out)
      out.append(ascii: "</a>")
    }
  }

  /// Writes the arc to the original, the upright to the expected counter, or the line where a subject begins.
  private func writeRelation(_ row: PageRows.Row, to out: inout RowBuffer) {
    let finding = row.finding.finding
    guard let time = finding.time, let counter = finding.counter else { return }
    if let original = row.original {
      let middle = time / 2 + original / 2
      out.append("<path class=\"arc\" d=\"M\(x(time)) \(y(counter))Q\(x(middle)) ")
      out.append("\(Self.number(height(counter) - 14)) \(x(original)) \(y(counter))\"/>\n")
      circle(
        original, counter, 5, "ring",
        "The original, \(CivilTime(milliseconds: original).text), counter \(counter)", to: &out)
    } else if let expected = finding.expected, expected != counter {
      out.append("<path class=\"arc\" d=\"M\(x(time)) \(y(counter))V\(y(expected))\"/>\n")
    }
    guard finding.code == .keySubjectChanged else { return }
    out.append("<path class=\"change\" d=\"M\(x(time)) \(Self.number(size.top))V")
    out.append("\(Self.number(size.height - size.bottom))\">")
    title("Another subject, \(CivilTime(milliseconds: time).text)", to: &out)
    out.append(ascii: "</path>\n")
  }
}

extension PageRows.Row {
  /// The time of the original of a replay, which had the same counter.
  var original: Int64? {
    switch finding.finding.code {
    case .replayAssertion, .replayRetry, .recordDuplicate: finding.finding.relatedTime
    default: nil
    }
  }
}
