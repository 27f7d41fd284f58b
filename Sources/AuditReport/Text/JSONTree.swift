/// A small JSON document whose keys keep their order.
indirect enum JSONTree {
  case null
  case string(String)
  case number(UInt64)
  case integer(Int64)
  case boolean(Bool)
  /// Milliseconds, written as seconds with three decimals.
  case seconds(Int64)
  case array([JSONTree])
  case object([(String, JSONTree)])

  /// Writes the document with two spaces a level, the empty array and object on one line.
  func write(to rows: inout RowBuffer, indent: Int = 0) {
    switch self {
    case .null: rows.append(ascii: "null")
    case .string(let text): rows.append(json: text)
    case .number(let value): rows.append(decimal: value)
    case .integer(let value): rows.append(signed: value)
    case .boolean(let value): rows.append(value ? "true" : "false")
    case .seconds(let milliseconds):
      if milliseconds < 0 { rows.append(UInt8(ascii: "-")) }
      rows.append(decimal: milliseconds.magnitude / 1000)
      rows.append(UInt8(ascii: "."))
      rows.append(decimal: milliseconds.magnitude % 1000, width: 3)
    case .array(let values):
      Self.write(values, between: "[", "]", to: &rows, indent: indent) { value, rows, indent in
        value.write(to: &rows, indent: indent)
      }
    case .object(let members):
      Self.write(members, between: "{", "}", to: &rows, indent: indent) { member, rows, indent in
        rows.append(json: member.0)
        rows.append(ascii: ": ")
        member.1.write(to: &rows, indent: indent)
      }
    }
  }

  private static func write<Element>(
    _ elements: [Element], between open: StaticString, _ close: StaticString,
    to rows: inout RowBuffer, indent: Int, _ body: (Element, inout RowBuffer, Int) -> Void
  ) {
    rows.append(ascii: open)
    for (index, element) in elements.enumerated() {
      rows.append(ascii: index == 0 ? "\n" : ",\n")
      rows.append(String(repeating: " ", count: indent + 2))
      body(element, &rows, indent + 2)
    }
    if !elements.isEmpty {
      rows.append(ascii: "\n")
      rows.append(String(repeating: " ", count: indent))
    }
    rows.append(ascii: close)
  }
}
