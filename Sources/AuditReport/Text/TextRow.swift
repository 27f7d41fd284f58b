/// Rows of the tables that commands print, made of texts by the rules of the report's own.
package enum TextRow {
  /// Returns a row of CSV (RFC 4180). `guarded`: the texts may come from a log, and are shown so that no
  /// spreadsheet runs them.
  package static func csv(_ values: [String], guarded: Bool) -> String {
    var rows = RowBuffer()
    for (index, text) in values.enumerated() {
      if index > 0 { rows.comma() }
      rows.append(csv: text, guarded: guarded)
    }
    rows.endRow()
    return rows.text
  }

  /// Returns a line of JSON Lines without what is empty; the values of the columns `bare` are numbers
  /// or truth values and stand without quotes.
  package static func json(
    _ members: [(column: String, text: String)], bare: Set<String>
  ) -> String {
    var rows = RowBuffer()
    rows.append(UInt8(ascii: "{"))
    for (index, (column, text)) in members.filter({ !$0.text.isEmpty }).enumerated() {
      if index > 0 { rows.comma() }
      rows.append(json: column)
      rows.append(UInt8(ascii: ":"))
      if bare.contains(column) { rows.append(text) } else { rows.append(json: text) }
    }
    rows.append(ascii: "}\n")
    return rows.text
  }
}
