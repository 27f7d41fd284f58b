package import AppAttest
internal import AuditEngine
internal import AuditLog
internal import Basics
internal import Files

/// A picture of the counter against time of one key as SVG: one file without scripts, links or
/// fonts of its own.
package struct CounterPicture {
  private let plot: CounterPlot
  private let timeline: Timeline
  private let key: Digest256

  private static let width = 960.0
  private static let height = 420.0
  private static let left = 90.0
  private static let top = 54.0
  private static let right = 24.0
  private static let bottom = 56.0
  /// The largest number of events that are drawn one by one.
  private static let limit = 20_000

  package init(_ plot: CounterPlot, _ timeline: Timeline, key: Digest256) {
    self.plot = plot
    self.timeline = timeline
    self.key = key
  }

  /// Writes the picture to a temporary file, and renames it to `path`. At `path` there may be
  /// nothing or a file.
  package func write(to path: String) throws(ReportError) {
    if let status = FileStatus(path: path, followsLinks: false), status.kind != .file {
      throw ReportError(.cannotWrite(0), "cannot write \(path): it is \(status.kind.name)")
    }
    var rows = RowBuffer()
    write(to: &rows)
    try asReportError { () throws(FileError) in
      let file = try ReplacingFile(path: path, mode: 0o600)
      let bytes = rows.bytes
      try file.append(bytes.span)
      try file.putInPlace()
    }
  }

  func write(to out: inout RowBuffer) {
    out.append(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(Int(Self.width)) "
        + "\(Int(Self.height))\" font-family=\"sans-serif\" font-size=\"13\" role=\"img\">\n")
    out.append(ascii: "<title>Counter against time of key ")
    out.append(hex: key)
    out.append(ascii: "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n")
    writeAxes(to: &out)
    for branch in [0, 1] { writeLine(branch, to: &out) }
    writePoints(to: &out)
    writeFork(to: &out)
    out.append(ascii: "</svg>\n")
  }

  private func x(_ share: Double) -> String {
    Self.number(Self.left + share * (Self.width - Self.left - Self.right))
  }

  private func y(_ share: Double) -> String {
    Self.number(Self.height - Self.bottom - share * (Self.height - Self.top - Self.bottom))
  }

  /// Returns a number with one decimal.
  private static func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
  }

  private func text(
    _ x: String, _ y: String, _ attributes: String, _ text: String, to out: inout RowBuffer
  ) {
    out.append("<text x=\"\(x)\" y=\"\(y)\" fill=\"#333\" \(attributes)>")
    out.append(html: text)
    out.append(ascii: "</text>\n")
  }

  private func writeAxes(to out: inout RowBuffer) {
    let (x0, x1, y0, y1) = (x(0), x(1), y(0), y(1))
    out.append("<path d=\"M\(x0) \(y1)V\(y0)H\(x1)\" fill=\"none\" stroke=\"#999\"/>\n")
    text(x0, "22", "font-size=\"15\"", "Counter against time, key \(key.hex)", to: &out)
    let bottom = Self.number(Self.height - Self.bottom + 20)
    text(x0, bottom, "", PageTime.minute(plot.times.lowerBound) + " UTC", to: &out)
    text(
      x1, bottom, "text-anchor=\"end\"", PageTime.minute(plot.times.upperBound) + " UTC", to: &out)
    let side = Self.number(Self.left - 8)
    text(side, y0, "text-anchor=\"end\"", String(plot.counters.lowerBound), to: &out)
    text(side, y1, "text-anchor=\"end\"", String(plot.counters.upperBound), to: &out)
    var place = Self.left
    for mark in plot.marks {
      let at = Self.number(place)
      let line = Self.number(Self.height - 12)
      out.append(Self.shape(mark, at, Self.number(Self.height - 16), ""))
      text(Self.number(place + 12), line, "", mark.words, to: &out)
      place += 150
    }
  }

  private func writeLine(_ branch: Int, to out: inout RowBuffer) {
    let points = plot.points.filter { point in
      point.mark == (branch == 0 ? .first : .second)
    }.prefix(Self.limit)
    guard points.count > 1 else { return }
    out.append(ascii: "<polyline fill=\"none\" opacity=\"0.45\" stroke=\"")
    out.append(Self.colour(branch == 0 ? .first : .second))
    out.append(ascii: "\" points=\"")
    for point in points {
      let place = plot.place(point)
      out.append("\(x(place.x)),\(y(place.y)) ")
    }
    out.append(ascii: "\"/>\n")
  }

  private func writePoints(to out: inout RowBuffer) {
    for point in plot.points.prefix(Self.limit) {
      let place = plot.place(point)
      let event = timeline.events[point.index]
      var title = "\(CivilTime(milliseconds: point.time).text), counter \(point.counter), "
      title += "\(event.verdict) \(event.decision) \(event.codes.joined(separator: ", "))"
      title += ", \(PageText.cut(event.source)):\(event.line)"
      if !event.requestID.isEmpty { title += ", request \(PageText.cut(event.requestID))" }
      out.append(Self.shape(point.mark, x(place.x), y(place.y), title))
    }
    if plot.points.count > Self.limit {
      text(
        x(1), "40", "text-anchor=\"end\"",
        "\(plot.points.count - Self.limit) further events are not drawn", to: &out)
    }
  }

  private func writeFork(to out: inout RowBuffer) {
    guard let fork = plot.fork,
      let point = plot.points.first(where: { $0.index == fork.first })
    else { return }
    let place = plot.place(point)
    out.append(
      "<circle cx=\"\(x(place.x))\" cy=\"\(y(place.y))\" r=\"10\" fill=\"none\" "
        + "stroke=\"#7d0628\" stroke-width=\"2\"/>\n")
    text(
      x(0), "40", "",
      "Fork: a second sequence begins at "
        + CivilTime(milliseconds: point.time).text + ", counter \(point.counter)", to: &out)
  }

  private static func colour(_ mark: CounterPlot.Mark) -> String {
    switch mark {
    case .first: "#1a4f96"
    case .second: "#b04408"
    case .replay: "#7d0628"
    case .failed: "#6a727a"
    }
  }

  private static func shape(
    _ mark: CounterPlot.Mark, _ x: String, _ y: String, _ title: String
  ) -> String {
    var escaped = RowBuffer()
    escaped.append(html: title)
    let text =
      title.isEmpty ? "" : "<title>\(String(decoding: escaped.bytes, as: UTF8.self))</title>"
    let colour = colour(mark)
    switch mark {
    case .first:
      return "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"3\" fill=\"\(colour)\">\(text)</circle>\n"
    case .second:
      return "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"3.5\" fill=\"#fff\" stroke=\"\(colour)\" "
        + "stroke-width=\"1.5\">\(text)</circle>\n"
    case .replay, .failed:
      return "<path d=\"M\(x) \(y)m-4 -4l8 8m0 -8l-8 8\" stroke=\"\(colour)\" fill=\"none\" "
        + "stroke-width=\"\(mark == .replay ? 2 : 1)\">\(text)</path>\n"
    }
  }
}
