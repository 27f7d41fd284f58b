/// A row of the page `Settings.md`, from which flags, help and files have names, defaults and sentences.
package struct SettingRow: Sendable {
  package let topic: SettingTopic
  /// The form on the command line. A setting of files alone has none.
  package let flag: FlagForm?
  /// The place in a pipeline file, such as `detect.counterGap`. A setting of flags alone has none.
  package let path: String?
  package let standard: String
  package let sentence: String

  /// The name: the place in a pipeline file, or the flag if there is no such place.
  var name: String { path ?? flag?.name ?? "" }

  static let page = String(decoding: PackageResources.Settings_md, as: UTF8.self)

  private static let all: [String: SettingRow] = {
    var all: [String: SettingRow] = [:]
    var topic: SettingTopic?
    for line in page.utf8.split(separator: UInt8(ascii: "\n")).map(Substring.init) {
      if line.hasPrefix("## ") {
        topic = SettingTopic(rawValue: String(line.dropFirst(3)))
      } else if let topic, line.hasPrefix("| "), let row = SettingRow(line, topic) {
        all[row.name] = row
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
