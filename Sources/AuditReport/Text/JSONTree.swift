/// A small JSON document whose keys keep their order.
indirect enum JSONTree {
  case null
  case string(String)
  case number(UInt64)
  case integer(Int64)
  case boolean(Bool)
  /// A number of milliseconds, written as seconds with three decimals.
  case seconds(Int64)
  case array([JSONTree])
  /// An array of so many elements, each made when it is written.
  case list(Int, (Int) -> JSONTree)
  case object([(String, JSONTree)])

  /// Writes the document with two spaces a level, the empty array and object on one line.
  func write(to rows: inout RowBuffer) {
    write(to: &rows, indent: 0) { _ in }
  }

  /// Writes the document as ``write(to:)`` does, and calls `flush` after every element.
  func write<Failure>(
    to rows: inout RowBuffer, flush: (inout RowBuffer) throws(Failure) -> Void
  ) throws(Failure) {
    try write(to: &rows, indent: 0, flush)
  }

  private func write<Failure>(
    to rows: inout RowBuffer, indent: Int, _ flush: (inout RowBuffer) throws(Failure) -> Void
  ) throws(Failure) {
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
      try Self.write(values.count, between: "[", "]", to: &rows, indent, flush) {
        index, rows throws(Failure) in
        try values[index].write(to: &rows, indent: indent + 2, flush)
      }
    case .list(let count, let element):
      try Self.write(count, between: "[", "]", to: &rows, indent, flush) {
        index, rows throws(Failure) in
        try element(index).write(to: &rows, indent: indent + 2, flush)
      }
    case .object(let members):
      try Self.write(members.count, between: "{", "}", to: &rows, indent, flush) {
        index, rows throws(Failure) in
        rows.append(json: members[index].0)
        rows.append(ascii: ": ")
        try members[index].1.write(to: &rows, indent: indent + 2, flush)
      }
    }
  }

  private static func write<Failure>(
    _ count: Int, between open: StaticString, _ close: StaticString, to rows: inout RowBuffer,
    _ indent: Int, _ flush: (inout RowBuffer) throws(Failure) -> Void,
    _ element: (Int, inout RowBuffer) throws(Failure) -> Void
  ) throws(Failure) {
    rows.append(ascii: open)
    for index in 0..<count {
      rows.append(ascii: index == 0 ? "\n" : ",\n")
      rows.append(String(repeating: " ", count: indent + 2))
      try element(index, &rows)
      try flush(&rows)
    }
    if count > 0 {
      rows.append(ascii: "\n")
      rows.append(String(repeating: " ", count: indent))
    }
    rows.append(ascii: close)
  }
}
