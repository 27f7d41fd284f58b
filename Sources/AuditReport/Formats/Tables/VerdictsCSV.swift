internal import AppAttest
internal import AuditEngine
internal import AuditLog

/// `verdicts.csv.zst`: one row for every record.
enum VerdictsCSV {
  static let name = "verdicts.csv.zst"
  static let header = """
    time,kind,key_id,app_id,client_data_hash,counter,source,line,verdict,codes,decision,subject,\
    request_id,detail
    """

  static func writeHeader(to rows: inout RowBuffer) {
    rows.append(header)
    rows.endRow()
  }

  static func write(_ verdict: VerdictRow, sources: SourceNames, to rows: inout RowBuffer) {
    rows.append(csvTime: verdict.time)
    if let kind = verdict.kind { rows.append(kind.name) }
    rows.comma()
    if let keyID = verdict.keyID { rows.append(hex: keyID) }
    rows.comma()
    rows.append(csv: verdict.appID, guarded: true)
    rows.comma()
    rows.append(hex: verdict.clientDataHash.span)
    rows.comma()
    rows.append(csvNumber: verdict.counter)
    rows.append(csvPath: sources[verdict.position.source])
    rows.comma()
    rows.append(csvNumber: verdict.position.line)
    rows.append(verdict.verdict.name)
    rows.comma()
    for (index, code) in verdict.codes.enumerated() {
      if index > 0 { rows.append(UInt8(ascii: ";")) }
      rows.append(code.name)
    }
    rows.comma()
    rows.append(verdict.decision.name)
    rows.comma()
    rows.append(csv: verdict.subject, guarded: true)
    rows.comma()
    rows.append(csv: verdict.requestID, guarded: true)
    rows.comma()
    rows.append(csv: verdict.detail, guarded: true)
    rows.endRow()
  }

  /// The kind of the rows of `events.csv.zst` that say whose a key or an event is.
  static let deviceKind = "device"

  /// Writes a row that says that a key, or the event at a place, is of the device that stands last.
  static func write(device note: VerdictRow, sources: SourceNames, to rows: inout RowBuffer) {
    rows.comma()
    rows.append(deviceKind)
    rows.comma()
    if let keyID = note.keyID { rows.append(hex: keyID) }
    for _ in 0..<4 { rows.comma() }
    if note.position.line > 0 { rows.append(csvPath: sources[note.position.source]) }
    rows.comma()
    rows.append(csvNumber: note.position.line)
    for _ in 0..<5 { rows.comma() }
    rows.append(csv: note.detail, guarded: true)
    rows.endRow()
  }
}
