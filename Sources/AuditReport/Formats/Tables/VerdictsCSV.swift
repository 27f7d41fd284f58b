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
    rows.append(csv: sources[verdict.position.source])
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
}
