internal import AuditEngine
internal import Basics

/// The data block of the page: rows of findings, with texts as places in a list of words.
struct PageData {
  let page: ReportPage
  let builds: BuildTotals

  /// The columns of a row. That in base64 says nothing that another does not.
  private static let columns = FindingColumns.withState.list.filter { $0.name != "key_id_base64" }

  private struct Words {
    private(set) var list: [String] = []
    private var places: [String: Int] = [:]

    mutating func place(_ text: String) -> Int {
      if let place = places[text] { return place }
      places[text] = list.count
      list.append(text)
      return list.count - 1
    }
  }

  var tree: JSONTree {
    var words = Words()
    let rows = (page.rows.kept + page.aside.accepted.rows + page.aside.withdrawn.rows).map { row in
      let state = row.aside ?? row.finding.isNew.map { $0 ? "new" : "open" }
      let values = Self.columns.map { $0.value(row.finding) } + [state.map { .word($0) } ?? .none]
      return JSONTree.array(values.map { Self.tree($0, &words) })
    }
    return [
      "total": .number(page.rows.total), "accepted": .number(page.aside.accepted.count),
      "withdrawn": .number(page.aside.withdrawn.count),
      "titles": .object(FindingCatalogue.entries.map { ($0.name, .string($0.title)) }),
      "builds": .array(builds.uses.map(Self.tree)),
      "columns": .array(
        Self.columns.map { [.string($0.name), .boolean($0.kind == .text)] }
          + [["state", .boolean(true)]]),
      "rows": .array(rows), "words": .array(words.list.map(JSONTree.string)),
    ]
  }

  private static func tree(_ value: ColumnValue, _ words: inout Words) -> JSONTree {
    switch value {
    case .none: .null
    case .number(let number): .number(number)
    case .time(let time): .integer(time)
    default: .number(UInt64(words.place(PageText.cut(value.plainText))))
    }
  }

  private static func tree(_ use: BuildUse) -> JSONTree {
    let (bins, width) = (use.hours.bins, use.hours.width * 3_600_000)
    return [
      "name": .string(PageText.cut(use.name)), "app": .string(PageText.cut(use.build.appID)),
      "hash": .string(Hex.text(use.build.codeHash)),
      "from": .integer((bins.first?.index ?? 0) * width),
      "to": .integer(((bins.last?.index ?? 0) + 1) * width),
      "keys": .array(use.keyPrefixes.map(JSONTree.string)),
    ]
  }
}
