internal import AppAttest
internal import AuditEngine

/// The data block of the page: rows of findings in the columns that it names, texts as places in a
/// list of words.
struct PageData {
  let page: ReportPage
  let builds: PageBuilds

  /// The columns of a row. That in base64 says nothing that another does not.
  private static let columns = FindingColumns.withState.list.filter { $0.name != "key_id_base64" }

  /// The texts by their place in the list of words.
  private struct Words {
    private(set) var list: [String] = []
    private var places: [String: Int] = [:]

    /// Returns the place of a text.
    mutating func place(_ text: String) -> Int {
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
    out.append(ascii: ",\"titles\":{")
    Self.list(FindingCatalogue.entries, to: &out) { entry, out in
      out.append(scriptJSON: entry.name)
      out.append(ascii: ":")
      out.append(scriptJSON: entry.title)
    }
    out.append(ascii: "},\"builds\":[")
    builds.writeData(to: &out)
    out.append(ascii: "],\"columns\":[")
    Self.list(Self.columns, to: &out) { column, out in
      out.append("[\"\(column.name)\",\(column.kind == .text)]")
    }
    out.append(ascii: ",[\"state\",true]],\"rows\":[")
    Self.list(page.rows.kept + page.aside.accepted.rows + page.aside.withdrawn.rows, to: &out) {
      row, out in
      Self.write(row, &words, to: &out)
    }
    out.append(ascii: "],\"words\":[")
    Self.list(words.list, to: &out) { $1.append(scriptJSON: $0) }
    out.append(ascii: "]}")
  }

  /// Writes elements with commas between them.
  static func list<Element>(
    _ elements: [Element], to out: inout RowBuffer, _ body: (Element, inout RowBuffer) -> Void
  ) {
    for (index, element) in elements.enumerated() {
      if index > 0 { out.comma() }
      body(element, &out)
    }
  }

  private static func write(
    _ row: PageRows.Row, _ words: inout Words, to out: inout RowBuffer
  ) {
    out.append(ascii: "\n[")
    for column in columns {
      write(column.value(row.finding), &words, to: &out)
      out.comma()
    }
    let state = row.aside ?? row.finding.isNew.map { $0 ? "new" : "open" }
    write(state.map { .word($0) } ?? .none, &words, to: &out)
    out.append(ascii: "]")
  }

  private static func write(
    _ value: ColumnValue, _ words: inout Words, to out: inout RowBuffer
  ) {
    switch value {
    case .none: out.append(ascii: "null")
    case .number(let number): out.append(decimal: number)
    case .time(let time): out.append(signed: time)
    default: out.append(decimal: UInt64(words.place(PageText.cut(value.plainText))))
    }
  }
}
