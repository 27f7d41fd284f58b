internal import AppAttest

/// The reduce by device: gives assertions that name only their device the key that the device had,
/// and passes them on to the shuffle by key identifier.
struct DeviceJoin {
  let detection: DetectionPolicy
  let knownKeys: [KnownKey]
  let devices: RowSorter
  let byKey: RowSorter
  let texts: TextStore
  let findings: FindingSink
  let run: RunState

  /// How many rows go to one writer of the shuffle by key identifier before the next one's turn:
  /// so that the memory of all is used.
  private static let rowsPerTurn = 1 << 12

  /// Passes every assertion on. The rows of one device are a stream, whatever their number.
  func reduce() throws(AuditError) {
    let imported = ImportedDevice.sorted(knownKeys, tolerance: detection.reorderTolerance)
    let rows = try devices.merged()
    let builder = RowBuilder(texts: texts)
    var device: Digest256?
    var keys = DeviceKeys()
    var count = 0
    while let bytes = unsafe try rows.next() {
      let row = unsafe try DeviceRow(bytes)
      if device != row.device {
        device = row.device
        keys = DeviceKeys(imported: imported.keys(of: row.device))
      }
      switch row.content {
      case .attestation(let keyID, let isValid):
        if row.section == .registry {
          keys.register(keyID, isValid: isValid)
        } else {
          keys.take(keyID, isValid: isValid)
        }
      case .assertion(let text, let event):
        unsafe write(event, keys.key(at: row.time), row.device, text, builder)
        let turn = count / Self.rowsPerTurn % byKey.settings.writers
        unsafe try byKey.writer(turn).append(builder.row)
      case .finding(let finding):
        try emit(unsafe FindingRow.read(finding, texts), keys.key(at: row.time))
      }
      count += 1
      if count & 0xFFF == 0 { try run.check() }
    }
  }

  /// Writes an assertion's row as the shuffle by key identifier has it.
  private func write(
    _ event: UnsafeRawBufferPointer, _ match: DeviceKeys.Match?, _ device: Digest256,
    _ text: RowText, _ row: RowBuilder
  ) {
    guard let match else {
      unsafe EventRow.write(copyOf: event, keyID: device, section: .device, row)
      return row.put(text)
    }
    unsafe EventRow.write(
      copyOf: event, keyID: match.keyID, adding: match.isClaimed ? .claimed : [], row)
  }

  private func emit(_ finding: Finding, _ match: DeviceKeys.Match?) throws(AuditError) {
    let subject = FindingSubject(
      time: finding.time, kind: finding.kind, keyID: match?.keyID, appID: finding.appID,
      clientDataHash: finding.clientDataHash, counter: finding.counter,
      position: finding.position, requestID: finding.requestID, decision: finding.decision)
    try findings.emit(finding.code, subject, detail: finding.detail)
  }
}
