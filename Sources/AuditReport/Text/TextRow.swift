/// Rows of the tables that commands print, made of texts by the same rules as those of reports.
package enum TextRow {
  /// Returns a row of CSV (RFC 4180). `guarded` is true if the texts may come from a log. They are
  /// then written so that no spreadsheet runs them.
  package static func csv(_ values: [String], guarded: Bool) -> String {
    var rows = RowBuffer()
    for (index, text) in values.enumerated() {
      if index > 0 { rows.comma() }
      rows.append(csv: text, guarded: guarded)
    }
    rows.endRow()
    return rows.text
  }

  /// Returns a line of JSON Lines without empty members. The values of the columns `bare` are
  /// numbers or truth values and are written without quotes.
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
