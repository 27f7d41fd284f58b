internal import AppAttest
internal import AuditEngine

/// `findings.csv`: one finding a row.
enum FindingsCSV {
  static let name = "findings.csv"
  static let header = """
    severity,code,time,kind,key_id,app_id,client_data_hash,counter,expected,source,line,\
    related_source,related_line,count,request_id,decision,detail,fingerprint
    """

  static func writeHeader(to rows: inout RowBuffer) {
    rows.append(header)
    rows.endRow()
  }

  static func write(_ finding: Finding, sources: SourceNames, to rows: inout RowBuffer) {
    rows.append(finding.severity.name)
    rows.comma()
    rows.append(finding.code.name)
    rows.comma()
    rows.append(csvTime: finding.time)
    if let kind = finding.kind { rows.append(kind.name) }
    rows.comma()
    if let keyID = finding.keyID { rows.append(hex: keyID) }
    rows.comma()
    rows.append(csv: finding.appID, guarded: true)
    rows.comma()
    rows.append(hex: finding.clientDataHash.span)
    rows.comma()
    rows.append(csvNumber: finding.counter)
    rows.append(csvNumber: finding.expected)
    rows.append(csv: sources[finding.position.source])
    rows.comma()
    rows.append(csvNumber: finding.position.line)
    if let related = finding.related { rows.append(csv: sources[related.source]) }
    rows.comma()
    rows.append(csvNumber: finding.related?.line)
    rows.append(csvNumber: finding.count)
    rows.append(csv: finding.requestID, guarded: true)
    rows.comma()
    rows.append(finding.decision.name)
    rows.comma()
    rows.append(csv: finding.detail, guarded: true)
    rows.comma()
    rows.append(fingerprint: finding.fingerprint)
    rows.endRow()
  }
}
