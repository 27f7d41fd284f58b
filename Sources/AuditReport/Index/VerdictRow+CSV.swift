internal import AppAttest
internal import AuditEngine
internal import AuditLog

extension VerdictRow {
  /// Writes the row of ``VerdictsCSV`` without texts in between, since there are as many as records.
  func write(_ names: SourceNames, to rows: inout RowBuffer) {
    if let time { rows.append(time: time) }
    rows.comma()
    if let kind { rows.append(kind.name) }
    rows.comma()
    if let key = keyID { rows.append(hex: key) }
    rows.comma()
    rows.append(csv: appID, guarded: true)
    rows.comma()
    rows.append(hex: clientDataHash.span)
    rows.comma()
    rows.append(csvNumber: counter)
    rows.append(csvPath: names[position.source])
    rows.comma()
    rows.append(csvNumber: position.line)
    rows.append(verdict.name)
    rows.comma()
    for (index, code) in codes.enumerated() {
      if index > 0 { rows.append(UInt8(ascii: ";")) }
      rows.append(code.name)
    }
    rows.comma()
    rows.append(decision.name)
    rows.comma()
    rows.append(csv: subject, guarded: true)
    rows.comma()
    rows.append(csv: requestID, guarded: true)
    rows.comma()
    rows.append(csv: detail, guarded: true)
    rows.comma()
    rows.append(csvNumber: position.item)
    rows.append(category?.name ?? "")
    rows.comma()
    rows.append(csv: bundleVersion, guarded: true)
    rows.comma()
    rows.append(hex: codeHash.span)
    rows.endRow()
  }
}
