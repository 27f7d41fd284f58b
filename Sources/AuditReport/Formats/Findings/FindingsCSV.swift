internal import AppAttest
internal import AuditEngine
internal import AuditLog

/// The file `findings.csv`: one finding on each row. A run with a state has two columns more.
struct FindingsCSV: FindingWriter {
  static let name = FindingFormat.csv.fileName
  static let header = """
    severity,code,time,kind,key_id,app_id,client_data_hash,counter,expected,source,line,\
    related_source,related_line,count,request_id,decision,detail,fingerprint,subject,\
    key_id_base64
    """

  /// The further columns of a run with a state.
  static let sightingHeader = ",first_seen,times_seen"

  func begin(sightings: Bool, _ rows: inout RowBuffer) {
    rows.append(Self.header)
    if sightings { rows.append(Self.sightingHeader) }
    rows.endRow()
  }

  func write(
    _ finding: Finding, _ sighting: Sighting?, sources: SourceNames, to rows: inout RowBuffer
  ) {
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
    rows.append(csvPath: sources[finding.position.source])
    rows.comma()
    rows.append(csvNumber: finding.position.line)
    if let related = finding.related { rows.append(csvPath: sources[related.source]) }
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
    rows.comma()
    rows.append(csv: finding.subject, guarded: true)
    rows.comma()
    if let keyID = finding.keyID { rows.append(base64: keyID) }
    if let sighting {
      rows.comma()
      rows.append(csv: sighting.firstSeen)
      rows.comma()
      rows.append(decimal: sighting.times)
    }
    rows.endRow()
  }
}

extension Finding {
  /// Replaces the texts by the form that `findings.csv` shows.
  mutating func takeTextOfTable() {
    appID = RowBuffer.guarded(appID)
    requestID = RowBuffer.guarded(requestID)
    subject = RowBuffer.guarded(subject)
    detail = RowBuffer.guarded(detail)
  }
}
