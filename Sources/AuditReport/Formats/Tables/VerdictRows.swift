internal import AppAttest
internal import AuditEngine
internal import AuditLog

/// A formatter of rows of ``VerdictsCSV`` without texts in between, since there are as many as records.
struct VerdictRows {
  let names: SourceNames

  init(sources names: SourceNames) { self.names = names }

  func write(_ verdict: VerdictRow, to rows: inout RowBuffer) {
    if let time = verdict.time { rows.append(time: time) }
    rows.comma()
    if let kind = verdict.kind { rows.append(kind.name) }
    rows.comma()
    if let key = verdict.keyID { rows.append(hex: key) }
    rows.comma()
    rows.append(csv: verdict.appID, guarded: true)
    rows.comma()
    rows.append(hex: verdict.clientDataHash.span)
    rows.comma()
    rows.append(csvNumber: verdict.counter)
    rows.append(csvPath: names[verdict.position.source])
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
    rows.comma()
    rows.append(csvNumber: verdict.position.item)
    rows.append(verdict.category?.name ?? "")
    rows.comma()
    rows.append(csv: verdict.bundleVersion, guarded: true)
    rows.comma()
    rows.append(hex: verdict.codeHash.span)
    rows.endRow()
  }
}
