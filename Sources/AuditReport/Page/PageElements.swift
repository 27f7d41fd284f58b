internal import Basics

/// The elements of a page, none of whose tags is written by hand.
extension RowBuffer {
  typealias Content = (inout RowBuffer) -> Void
  typealias Attributes = KeyValuePairs<String, String>

  /// The elements after which a line ends.
  private static let blocks: Set<String> = [
    "p", "h1", "h2", "h3", "div", "tr", "li", "ol", "ul", "dl", "nav", "header", "main", "form",
    "noscript", "svg", "style", "script", "title",
  ]

  /// Appends an element with escaped values of its attributes and the content that `content` writes.
  mutating func element(
    _ name: String, _ attributes: Attributes = [:], _ content: Content = { _ in }
  ) {
    append("<" + name)
    for (name, value) in attributes {
      append(" " + name + "=\"")
      append(html: value)
      append(ascii: "\"")
    }
    append(ascii: ">")
    content(&self)
    append("</" + name + ">")
    if Self.blocks.contains(name) { append(ascii: "\n") }
  }

  mutating func element(_ name: String, _ attributes: Attributes, _ text: String) {
    element(name, attributes) { $0.append(html: text) }
  }

  mutating func element(_ name: String, _ text: String) { element(name, [:], text) }

  /// Appends a text of a log, which keeps its direction of letters.
  mutating func bdi(_ text: String) { element("bdi", PageText.cut(text)) }

  mutating func link(_ filter: String, _ text: String) {
    element("a", ["href": "#" + filter], text)
  }

  mutating func note(_ text: String) { element("p", ["class": "note"], text) }

  mutating func heading(_ name: String, _ id: String, _ text: String) {
    element(name, ["id": id, "tabindex": "-1"], text)
  }

  /// Appends a table, which is read aloud by `label`. A row has a cell for each column.
  mutating func table(
    _ columns: [PageColumn], label: String? = nil, _ rows: some Sequence<[PageCell]>
  ) {
    let region: Attributes =
      label.map { ["class": "scroll", "tabindex": "0", "role": "region", "aria-label": $0] }
      ?? ["class": "scroll"]
    table("cards", region) { out in
      for column in columns { out.element("th", column.headAttributes, column.name) }
    } body: { out in
      for row in rows {
        out.element("tr") { out in
          for (column, cell) in zip(columns, row) {
            out.element("td", column.cellAttributes, cell.content)
          }
        }
      }
    }
  }

  mutating func table(
    _ style: String, _ region: Attributes = ["class": "scroll"], id: String? = nil,
    heads: Content, body: Content = { _ in }
  ) {
    element("div", region) { out in
      out.element("table", ["class": style]) { out in
        out.element("thead") { $0.element("tr", [:], heads) }
        out.element("tbody", id.map { ["id": $0] } ?? [:], body)
      }
    }
  }
}

/// A column of a table on the page. Its name is also the label of its cells on a phone.
struct PageColumn: ExpressibleByStringLiteral {
  let name: String
  var isNumber = false

  init(stringLiteral name: String) { self.name = name }

  init(_ name: String, isNumber: Bool = false) {
    self.name = name
    self.isNumber = isNumber
  }

  static func number(_ name: String) -> PageColumn { PageColumn(name, isNumber: true) }

  fileprivate var headAttributes: RowBuffer.Attributes {
    isNumber ? ["scope": "col", "class": "n"] : ["scope": "col"]
  }

  fileprivate var cellAttributes: RowBuffer.Attributes {
    isNumber ? ["class": "n", "data-name": name] : ["data-name": name]
  }
}

struct PageCell {
  let content: RowBuffer.Content

  init(_ content: @escaping RowBuffer.Content) { self.content = content }

  /// A text of a log.
  static func text(_ text: String) -> PageCell { PageCell { $0.bdi(text) } }

  /// A text of this program.
  static func word(_ text: String) -> PageCell { PageCell { $0.append(html: text) } }

  static func time(_ time: Int64?) -> PageCell { .word(time.map(PageTime.minute) ?? "") }

  static func count(_ count: UInt64, link: String? = nil) -> PageCell {
    let text = SummaryNumber.grouped(count)
    return PageCell { out in
      if let link { out.link(link, text) } else { out.append(text) }
    }
  }
}

extension RowBuffer {
  /// Appends a text or attribute value, with markup and invisible characters escaped.
  mutating func append(html text: String) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "<": append(ascii: "&lt;")
      case ">": append(ascii: "&gt;")
      case "&": append(ascii: "&amp;")
      case "\"": append(ascii: "&quot;")
      case "'": append(ascii: "&#39;")
      case " "..."~": append(UInt8(ascii: scalar))
      default: append(String(scalar.isUnseen ? scalar.escaped(asASCII: true) : String(scalar)))
      }
    }
  }
}

enum Plural {
  static func text(_ count: UInt64, _ noun: String, capital: Bool = false) -> String {
    count == 1 ? "\(capital ? "One" : "one") \(noun)" : SummaryNumber.counted(count, noun)
  }
}

enum PageTime {
  /// Returns a time as in `2026-03-01 02:19`.
  static func minute(_ time: Int64) -> String {
    let text = CivilTime(milliseconds: time).text
    return String(text.prefix(text.utf8.count - 8)).replacing("T", with: " ")
  }
}

enum PageText {
  static let limit = 300

  /// Returns the text. A long one is truncated, and its length is added.
  static func cut(_ text: String) -> String {
    guard text.utf8.count > limit else { return text }
    let head = text.unicodeScalars.prefix(limit)
    guard head.endIndex < text.unicodeScalars.endIndex else { return text }
    return String(String.UnicodeScalarView(head)) + "… (\(text.utf8.count) bytes)"
  }
}
