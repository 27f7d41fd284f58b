internal import AppAttest
internal import AuditEngine
internal import AuditLog
internal import Basics

/// A timeline as rows of CSV and JSON Lines.
package enum TimelineRows {
  /// The header of CSV, with the columns of `verdicts.csv`.
  package static var header: [UInt8] {
    var rows = RowBuffer()
    VerdictsCSV.writeHeader(to: &rows)
    return rows.bytes
  }

  /// Returns a row of CSV.
  package static func csv(_ event: TimelineEvent) -> [UInt8] {
    var rows = RowBuffer()
    let texts = [
      event.time.map { CivilTime(milliseconds: $0).text } ?? "", event.kind,
      event.keyID?.hex ?? "", event.appID, Hex.text(event.clientDataHash),
      event.counter.map { String($0) } ?? "", event.source, String(event.line), event.verdict,
      event.codes.joined(separator: ";"), event.decision, event.subject, event.requestID,
      event.detail,
    ]
    for (index, text) in texts.enumerated() {
      if index > 0 { rows.comma() }
      rows.append(csv: text)
    }
    rows.endRow()
    return rows.bytes
  }

  /// Returns a line of JSON Lines, without empty members.
  package static func json(_ event: TimelineEvent) -> [UInt8] {
    var rows = RowBuffer()
    JSONTree.object([
      ("time", event.time.map { .string(CivilTime(milliseconds: $0).text) } ?? .null),
      ("kind", .string(event.kind)), ("key_id", .string(event.keyID?.hex ?? "")),
      ("app_id", .string(event.appID)),
      ("client_data_hash", .string(Hex.text(event.clientDataHash))),
      ("counter", event.counter.map { .number(UInt64($0)) } ?? .null),
      ("source", .string(event.source)), ("line", .number(event.line)),
      ("verdict", .string(event.verdict)), ("codes", .array(event.codes.map { .string($0) })),
      ("decision", .string(event.decision)), ("subject", .string(event.subject)),
      ("request_id", .string(event.requestID)), ("detail", .string(event.detail)),
    ]).writeLine(to: &rows)
    rows.append(ascii: "\n")
    return rows.bytes
  }

}
