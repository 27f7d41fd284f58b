/// JSON on one line, as in JSON Lines.
extension JSONTree {
  /// Writes the document without a space. Members that are null or empty are left out.
  func writeLine(to rows: inout RowBuffer) {
    switch self {
    case .null, .string, .number, .integer, .boolean, .seconds: write(to: &rows)
    case .array(let values):
      rows.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { rows.comma() }
        value.writeLine(to: &rows)
      }
      rows.append(UInt8(ascii: "]"))
    case .list(let count, let element):
      JSONTree.array((0..<count).map(element)).writeLine(to: &rows)
    case .object(let members):
      rows.append(UInt8(ascii: "{"))
      var isFirst = true
      for (name, value) in members where !value.isEmpty {
        if !isFirst { rows.comma() }
        isFirst = false
        rows.append(json: name)
        rows.append(UInt8(ascii: ":"))
        value.writeLine(to: &rows)
      }
      rows.append(UInt8(ascii: "}"))
    }
  }

  /// Whether a line can leave the value out.
  private var isEmpty: Bool {
    switch self {
    case .null: true
    case .string(let text): text.isEmpty
    case .array(let values): values.isEmpty
    case .list(let count, _): count == 0
    case .object(let members): members.allSatisfy { $0.1.isEmpty }
    case .number, .integer, .boolean, .seconds: false
    }
  }
}
