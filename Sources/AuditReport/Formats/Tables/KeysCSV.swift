internal import AppAttest
internal import AuditEngine

/// The file `keys.csv`: one key on each row.
enum KeysCSV {
  static let name = "keys.csv"

  static func writeHeader(to rows: inout RowBuffer) {
    rows.append(KeysHeader.text)
    rows.endRow()
  }

  static func write(_ key: KeyRow, to rows: inout RowBuffer) {
    rows.append(hex: key.keyID)
    rows.comma()
    rows.append(csv: key.appID, guarded: true)
    rows.comma()
    rows.append(key.environment?.name ?? "")
    rows.comma()
    rows.append(key.status.name)
    rows.comma()
    rows.append(csvTime: key.attestedAt)
    rows.append(csvTime: key.firstSeen)
    rows.append(csvTime: key.lastSeen)
    rows.append(csvNumber: key.attestations)
    rows.append(csvNumber: key.assertions)
    rows.append(csvNumber: key.verified)
    rows.append(csvNumber: key.failed)
    rows.append(csvNumber: key.firstCounter)
    rows.append(csvNumber: key.lastCounter)
    rows.append(csvNumber: key.missingCounters)
    rows.append(csvNumber: key.findings)
    rows.append(key.worstSeverity?.name ?? "")
    rows.comma()
    for text in [key.subject, key.osVersion] {
      rows.append(csv: text, guarded: true)
      rows.comma()
    }
    rows.append(key.category?.name ?? "")
    rows.comma()
    for text in [key.bundleVersion, key.receiptType] {
      rows.append(csv: text, guarded: true)
      rows.comma()
    }
    rows.append(csvTime: key.receiptCreated)
    rows.append(csv: key.riskMetric, guarded: true)
    rows.comma()
    rows.append(base64: key.keyID)
    rows.endRow()
  }
}

/// The columns of `keys.csv`.
package enum KeysHeader {
  /// The first line of the file, without its end.
  package static let text = """
    key_id,app_id,environment,status,attested_at,first_seen,last_seen,attestations,assertions,\
    verified,failed,first_counter,last_counter,missing_counters,findings,worst_severity,subject,\
    os_version,category,bundle_version,receipt_type,receipt_created,risk_metric,key_id_base64
    """
}

extension KeyRow {
  /// Replaces the texts by the form that `keys.csv` shows, and that is read from it again.
  mutating func takeTextOfTable() {
    appID = RowBuffer.guarded(appID)
    subject = RowBuffer.guarded(subject)
    osVersion = RowBuffer.guarded(osVersion)
    bundleVersion = RowBuffer.guarded(bundleVersion)
    receiptType = RowBuffer.guarded(receiptType)
    riskMetric = RowBuffer.guarded(riskMetric)
  }
}
