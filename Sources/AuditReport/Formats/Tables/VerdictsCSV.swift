internal import AppAttest
internal import AuditEngine
internal import AuditLog

/// The file `verdicts.csv.zst`: one row for every record.
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

  /// The kind of the rows of `events.csv.zst` that assign a key or an event to a device.
  static let deviceKind = "device"
}
