internal import AppAttest
internal import RowShuffle

// The memory of earlier runs as a stage has it: what it asks, the state answers; what it remembers leaves as
// rows.
extension RunMemory {
  /// Returns the memory of a run that advances a state, whose parts are carried out by several processes.
  func leaving(to rows: MemoryRows) -> RunMemory {
    var memory = self
    memory.mode = .advance
    memory.rows = rows
    memory.keys = StagedKeys(state: keys, rows: rows)
    memory.hashes = StagedHashes(state: hashes, rows: rows)
    memory.events = StagedEvents(state: events, rows: rows)
    memory.findings = StagedFindings(state: findings)
    return memory
  }
}

private struct StagedKeys: KeyMemory {
  let state: any KeyMemory
  let rows: MemoryRows

  func key(_ keyID: Digest256) throws(AuditError) -> KeptKey? { try state.key(keyID) }
  func imported(_ keyID: Digest256) throws(AuditError) -> ImportedKey? {
    try state.imported(keyID)
  }
  func imported(ofDevice device: Digest256) throws(AuditError) -> [KnownKey] {
    try state.imported(ofDevice: device)
  }
  func publicKey(_ keyID: Digest256) throws(AuditError) -> [UInt8]? { try state.publicKey(keyID) }
  func broughtKeys() throws(AuditError) -> [Digest256] { try state.broughtKeys() }
  func keys(ofDevice device: Digest256) throws(AuditError) -> [KeptDevice] {
    try state.keys(ofDevice: device)
  }
  func remember(_ key: KeptKey) throws(AuditError) { try rows.add(key) }
  func remember(_ device: KeptDevice) throws(AuditError) { try rows.add(device) }
}

private struct StagedHashes: HashMemory {
  let state: any HashMemory
  let rows: MemoryRows

  func forEach(
    _ group: UnsafeRawBufferPointer,
    _ body: (UnsafeRawBufferPointer) throws(AuditError) -> Void
  ) throws(AuditError) {
    try unsafe state.forEach(group, body)
  }

  func remember(_ record: UnsafeRawBufferPointer) throws(AuditError) {
    try unsafe rows.add(
      .hash, record, UnsafeRawBufferPointer(rebasing: record[MemoryRows.groupBytes...]))
  }
}

private struct StagedEvents: EventMemory {
  let state: any EventMemory
  let rows: MemoryRows

  func runs() throws(AuditError) -> [any RowRunSource] { try state.runs() }
  func runs(from marks: [KeptRowMark]) throws(AuditError) -> [any RowRunSource] {
    try state.runs(from: marks)
  }

  func keep(_ row: UnsafeRawBufferPointer) throws(AuditError) {
    try unsafe rows.add(
      .event, row, UnsafeRawBufferPointer(rebasing: row[MemoryRows.groupBytes...]))
  }
}

/// The memory of findings in a stage. The fate of earlier findings leaves by ``Withdrawals``, and
/// new findings leave by the report.
private struct StagedFindings: FindingMemory {
  let state: any FindingMemory

  func sighting(_ fingerprint: UInt64) throws(AuditError) -> Sighting? {
    try state.sighting(fingerprint)
  }
  func standing(at source: UInt32) throws(AuditError) -> [Finding] {
    try state.standing(at: source)
  }
  func remember(_ finding: Finding) throws(AuditError) { throw Self.misuse }
  func close(_ fingerprint: UInt64) throws(AuditError) { throw Self.misuse }
  func explain(_ fingerprint: UInt64, records: UInt64) throws(AuditError) { throw Self.misuse }

  private static var misuse: AuditError {
    AuditError(.inconsistent, "a stage settles what the report settles")
  }
}
