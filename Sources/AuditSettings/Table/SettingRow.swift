/// A row of the page `Settings.md` of the documentation. The page is a part of the program: flags,
/// help and pipeline files have their names, defaults and sentences from it.
struct SettingRow {
  let topic: SettingTopic
  let flag: FlagForm?
  let path: String?
  /// The words for the default.
  let standard: String
  let sentence: String

  static let page = String(decoding: PackageResources.Settings_md, as: UTF8.self)

  /// The rows by the names of their settings.
  private static let all: [String: SettingRow] = {
    var all: [String: SettingRow] = [:]
    var topic: SettingTopic?
    for line in page.utf8.split(separator: UInt8(ascii: "\n")).map(Substring.init) {
      if line.hasPrefix("## ") {
        topic = SettingTopic.allCases.first { $0.title == line.dropFirst(3) }
      } else if let topic, line.hasPrefix("| "), let row = SettingRow(line, topic) {
        all[row.path ?? row.flag?.name ?? ""] = row
      }
    }
    return all
  }()

  /// Reads a row, or returns nil for the head of a table.
  private init?(_ line: Substring, _ topic: SettingTopic) {
    var cells: [Substring] = []
    for part in line.utf8.split(separator: UInt8(ascii: "|")).map(Substring.init) {
      // A bar behind a backslash belongs to the text.
      if let start = cells.last, start.last == "\\" {
        cells[cells.count - 1] = start.dropLast() + "|" + part
      } else {
        cells.append(part)
      }
    }
    cells = cells.map { $0.dropFirst().dropLast() }
    guard cells.count == 5, cells[0] != "flag" else { return nil }
    let (flag, path) = (cells[0].filter { $0 != "`" }, cells[1].filter { $0 != "`" })
    self.topic = topic
    self.flag =
      flag.isEmpty
      ? nil : FlagForm(stringLiteral: flag.hasSuffix(" …") ? flag.dropLast(2) + "..." : flag)
    self.path = path.isEmpty ? nil : path
    (standard, sentence) = (String(cells[3]), String(cells[4]))
  }

  static func named(_ name: String) -> SettingRow {
    guard let row = all[name] else { preconditionFailure("Settings.md has no row of \(name)") }
    return row
  }
}
