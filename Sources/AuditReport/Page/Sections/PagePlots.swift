internal import AppAttest
internal import AuditEngine
internal import AuditLog

/// The keys with the most accepted abuse, each with the picture of its counters.
struct PagePlots {
  let page: ReportPage

  private static let drawn = 240

  func write(to out: inout RowBuffer) {
    let worst = page.keys.worst
    var rows: [Digest256: [PageRows.Row]] = [:]
    for entry in worst { rows[entry.keyID] = [] }
    for row in page.rows.kept {
      let finding = row.finding.finding
      guard let key = finding.keyID, finding.counter != nil, finding.time != nil else { continue }
      rows[key]?.append(row)
    }
    out.element("div", ["class": "plots", "id": "plots"]) { out in
      for entry in worst {
        out.element("div", ["class": "plot"]) { write(entry, rows[entry.keyID] ?? [], to: &$0) }
      }
    }
  }

  private func write(_ entry: PageKeys.Entry, _ rows: [PageRows.Row], to out: inout RowBuffer) {
    let hex = entry.keyID.hex
    out.element("h3") { out in
      out.element(
        "a", ["class": "mono", "href": "#key=\(hex)", "title": hex], String(hex.prefix(12)))
    }
    out.element("p", ["class": "note"]) { out in
      out.append(
        "\(entry.count.least)\(SummaryNumber.grouped(entry.count.accepted)) accepted, "
          + Plural.text(entry.count.findings, "finding"))
      guard let row = entry.row else { return }
      out.append("; \(row.status.name)")
      guard !row.subject.isEmpty else { return }
      out.append(ascii: ", subject ")
      out.bdi(row.subject)
    }
    let drawn = rows.sorted(by: Self.precedes).prefix(Self.drawn)
    let plot = page.history?.plot(of: entry.keyID)
    guard let picture = CounterPicture(entry, plot, findings: Array(drawn)) else { return }
    picture.write(to: &out)
    if let builds = plot?.builds, builds.areSeveral {
      out.element("p", ["class": "note"]) { out in
        out.append(ascii: "Builds:")
        for (number, build) in builds.entries.enumerated() {
          out.append(ascii: " ")
          out.element("span", ["class": "b\(number)"], "●")
          out.append(ascii: " ")
          out.bdi(build.name)
        }
      }
    }
    let remarks = remarks(Array(drawn), of: rows.count, plot)
    if !remarks.isEmpty { out.note(remarks.joined(separator: "; ") + ".") }
  }

  private func remarks(
    _ drawn: [PageRows.Row], of count: Int, _ plot: PageHistory.Plot?
  ) -> [String] {
    var remarks: [String] = []
    if let fork = plot?.fork {
      remarks.append(
        "fork: a second rising sequence begins \(PageTime.minute(fork.time)) with counter "
          + "\(fork.counter)")
    }
    let replays = UInt64(drawn.count { $0.original != nil })
    if replays > 0 { remarks.append("\(Plural.text(replays, "replay")) joined to the original") }
    let subjects = UInt64(drawn.count { $0.finding.finding.code == .keySubjectChanged })
    if subjects > 0 { remarks.append("another subject \(Plural.text(subjects, "time"))") }
    if let plot, plot.requests > UInt64(plot.points.count) {
      remarks.append("\(plot.points.count) of \(plot.requests) requests drawn")
    }
    if count > drawn.count {
      remarks.append("\(drawn.count) of \(count) findings with a counter drawn, the most severe")
    }
    return remarks
  }

  /// The most severe first, of those the accepted, then the new.
  private static func precedes(_ a: PageRows.Row, _ b: PageRows.Row) -> Bool {
    let (left, right) = (a.finding.finding, b.finding.finding)
    if left.severity != right.severity { return left.severity > right.severity }
    let (first, second) = (left.decision == .accepted, right.decision == .accepted)
    if first != second { return first }
    let (isNew, other) = (a.finding.isNew == true, b.finding.isNew == true)
    return isNew != other ? isNew : a.order < b.order
  }
}

/// Every request of the keys that the page draws, if the report has an index.
struct PageHistory {
  /// The largest number of requests of a key that are held, and that are drawn.
  static let limit = 4_000
  static let drawn = 240

  struct Plot {
    var points: [CounterPlot.Point]
    var builds: KeyBuilds
    /// The number of requests with a counter, drawn or not.
    var requests: UInt64
    /// The first request of a second rising sequence, among ``points``.
    var fork: CounterPlot.Point?
  }

  private var events: [Digest256: [TimelineEvent]]
  private var requests: [Digest256: UInt64] = [:]
  private let reorderTolerance: Int64

  init(_ keys: [Digest256], reorderTolerance: Int64 = DetectionPolicy().reorderTolerance) {
    self.reorderTolerance = reorderTolerance
    events = Dictionary(keys.map { ($0, []) }) { first, _ in first }
  }

  func wants(_ keyID: Digest256?) -> Bool { keyID.map { events[$0] != nil } ?? false }

  /// Takes the next event of one of the keys, in order of time.
  mutating func add(_ event: TimelineEvent) {
    guard let keyID = event.keyID, event.counter != nil, event.time != nil else { return }
    requests[keyID, default: 0] += 1
    if events[keyID]?.count ?? Self.limit < Self.limit { events[keyID]?.append(event.plotted) }
  }

  func plot(of keyID: Digest256) -> Plot? {
    guard let events = events[keyID],
      let plot = CounterPlot(Timeline(events, reorderTolerance: reorderTolerance), key: keyID)
    else { return nil }
    let fork = plot.fork.flatMap { fork in plot.points.first { $0.index == fork.first } }
    return Plot(
      points: Self.thinned(plot.points, keeping: fork), builds: plot.builds,
      requests: requests[keyID] ?? 0, fork: fork)
  }

  /// Leaves out points evenly if they are too many, but not the first of a fork.
  private static func thinned(
    _ points: [CounterPlot.Point], keeping fork: CounterPlot.Point?
  ) -> [CounterPlot.Point] {
    guard points.count > drawn else { return points }
    return points.indices.filter { index in
      index * drawn / points.count != (index - 1) * drawn / points.count || index == 0
        || points[index].index == fork?.index
    }.map { points[$0] }
  }
}
