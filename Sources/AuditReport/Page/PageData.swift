internal import AppAttest
internal import AuditEngine
internal import AuditLog
internal import Basics

/// The data block of the page: rows as lists of numbers into one list of words.
struct PageData {
  let page: ReportPage
  let sources: SourceNames

  /// The texts by their place in the list of words.
  private struct Words {
    private(set) var list: [String] = []
    private var places: [String: Int] = [:]

    /// Returns the place of a text, or -1 for an empty one.
    mutating func place(_ text: String) -> Int {
      if text.isEmpty { return -1 }
      if let place = places[text] { return place }
      places[text] = list.count
      list.append(text)
      return list.count - 1
    }
  }

  /// Writes one JSON object.
  func write(to out: inout RowBuffer) {
    var words = Words()
    out.append(ascii: "{\"total\":")
    out.append(decimal: page.rows.total)
    out.append(ascii: ",\"accepted\":")
    out.append(decimal: page.aside.accepted.count)
    out.append(ascii: ",\"withdrawn\":")
    out.append(decimal: page.aside.withdrawn.count)
    out.append(ascii: ",\"codes\":[")
    for (index, entry) in FindingCatalogue.entries.enumerated() {
      if index > 0 { out.comma() }
      out.append(ascii: "[")
      out.append(scriptJSON: entry.name)
      out.comma()
      out.append(scriptJSON: entry.title)
      out.append(ascii: "]")
    }
    out.append(ascii: "],\"keys\":[")
    for (index, entry) in page.keys.worst.enumerated() {
      if index > 0 { out.comma() }
      Self.write(entry, page.history?.plot(of: entry.keyID), to: &out)
    }
    out.append(ascii: "],\"rows\":[")
    let aside = page.aside.accepted.rows + page.aside.withdrawn.rows
    for (index, row) in (page.rows.kept + aside).enumerated() {
      out.append(ascii: index > 0 ? ",\n[" : "\n[")
      Self.write(row, sources, &words, to: &out)
      out.append(ascii: "]")
    }
    out.append(ascii: "],\"words\":[")
    for (index, word) in words.list.enumerated() {
      if index > 0 { out.comma() }
      out.append(scriptJSON: word)
    }
    out.append(ascii: "]}")
  }

  private static func write(
    _ entry: PageKeys.Entry, _ plot: PageHistory.Plot?, to out: inout RowBuffer
  ) {
    out.append(ascii: "{\"key\":\"")
    out.append(hex: entry.keyID)
    out.append(ascii: "\",\"accepted\":")
    out.append(decimal: entry.count.accepted)
    out.append(ascii: ",\"total\":")
    out.append(decimal: entry.count.findings)
    out.append(ascii: ",\"status\":")
    out.append(scriptJSON: entry.row?.status.name ?? "")
    out.append(ascii: ",\"subject\":")
    out.append(scriptJSON: entry.row?.subject ?? "")
    out.append(ascii: ",\"first\":")
    out.append(signed: entry.row?.firstSeen ?? 0)
    out.append(ascii: ",\"last\":")
    out.append(signed: entry.row?.lastSeen ?? 0)
    out.append(ascii: ",\"from\":")
    out.append(jsonOrNull: entry.row?.firstCounter)
    out.append(ascii: ",\"to\":")
    out.append(jsonOrNull: entry.row?.lastCounter)
    if let plot { write(plot, to: &out) }
    out.append(ascii: "}")
  }

  /// Writes the requests of a key: time, counter and the raw value of ``CounterPlot/Mark``.
  private static func write(_ plot: PageHistory.Plot, to out: inout RowBuffer) {
    func write(_ point: CounterPlot.Point) {
      out.append(ascii: "[")
      out.append(signed: point.time)
      out.comma()
      out.append(decimal: UInt64(point.counter))
      out.comma()
      out.append(decimal: UInt64(point.mark.rawValue))
      out.append(ascii: "]")
    }
    out.append(ascii: ",\"requests\":")
    out.append(decimal: plot.requests)
    out.append(ascii: ",\"points\":[")
    for (index, point) in plot.points.enumerated() {
      if index > 0 { out.comma() }
      write(point)
    }
    out.append(ascii: "]")
    if let fork = plot.fork {
      out.append(ascii: ",\"fork\":")
      write(fork)
    }
  }

  private static func write(
    _ row: PageRows.Row, _ sources: SourceNames, _ words: inout Words, to out: inout RowBuffer
  ) {
    let finding = row.finding
    func word(_ text: String) {
      out.comma()
      out.append(signed: Int64(words.place(text)))
    }
    func number(_ value: (some BinaryInteger)?) {
      out.comma()
      if let value { out.append(signed: Int64(clamping: value)) } else { out.append(ascii: "null") }
    }
    /// Returns the path of a position. For a row from a table, it is in the form of that table.
    func path(_ position: Position) -> String {
      let path = sources[position.source]
      return PageText.cut(row.aside == nil ? path : RowBuffer.guarded(path: path))
    }
    out.append(decimal: UInt64(finding.severity.rawValue))
    number(finding.code.rawValue)
    number(finding.time)
    number(finding.kind.map { Int($0.rawValue) } ?? -1)
    word(finding.keyID?.hex ?? "")
    word(finding.appID)
    word(PageText.cut(Hex.text(finding.clientDataHash)))
    number(finding.counter)
    number(finding.expected)
    word(path(finding.position))
    number(finding.position.line)
    word(finding.related.map(path) ?? "")
    number(finding.related?.line)
    number(finding.count)
    word(finding.requestID)
    number(finding.decision.rawValue)
    word(finding.detail)
    out.append(ascii: ",\"")
    out.append(fingerprint: finding.fingerprint)
    out.append(ascii: "\"")
    word(finding.subject)
    word(row.aside ?? (row.sighting == nil ? "" : row.isNew ? "new" : "open"))
    word(row.sighting?.firstSeen ?? "")
  }

}
