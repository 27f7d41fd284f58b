internal import AppAttest

/// Events and challenges as they are remembered, and remembered events as rows.
extension HashRow {
  /// Writes an event of an earlier run. It takes part in the replay audit unless it is void.
  static func write(_ record: RememberedRecord, _ row: RowBuilder) {
    var flags: Flags = record.flags.contains(.void) ? [] : .lookedAt
    if record.flags.contains(.behind) { flags.insert(.behind) }
    if record.flags.contains(.validAttestation) { flags.insert(.validAttestation) }
    if record.flags.contains(.ofDevice) { flags.insert(.ofDevice) }
    row.begin()
    row.put(record.hash)
    row.put(record.hashLength)
    row.bigTime(record.time)
    row.put(Class.remembered.rawValue)
    row.big(record.position)
    row.put(record.kind.rawValue)
    row.put(record.decision.rawValue)
    row.put(flags.rawValue)
    row.put(EventRow.noApp)
    row.put(record.counter)
    row.put(record.owner)
    row.put(CodeSet().bits)
    row.put(record.identity)
    // None of the extras, and no App ID.
    row.put(UInt8(0))
    row.put(RowText.absentTag)
    put(record.request?.digest, length: record.request?.length ?? 0, row)
    put(record.subject, length: 0, row)
  }

  /// Writes a text of which the beginning of its digest is known: it is compared, never read.
  private static func put(_ digest: UInt64?, length: UInt32, _ row: RowBuilder) {
    guard let digest else { return row.put(RowText.absentTag) }
    row.put(RowText.storedTag)
    row.put(Digest128(prefix: digest))
    row.put(UInt64(length))
    row.put(UInt64.max)
  }

  /// What later runs are to know of the row's challenge; `tolerance` is what its time was put back by.
  func rememberedChallenge(tolerance: Int64) -> RememberedRecord {
    RememberedRecord(
      hash: groupHash, hashLength: hashLength, kind: .challenge, time: keyTime &+ tolerance,
      position: position)
  }

  /// What later runs are to know of the row's event; `isBlameless`: the server rejected it, and nothing
  /// but its challenge spoke against it, if that did.
  func rememberedEvent(isBlameless: Bool) -> RememberedRecord {
    var kept: RememberedRecord.Flags = flags.contains(.lookedAt) ? [] : .void
    if flags.contains(.behind) { kept.insert(.behind) }
    if flags.contains(.validAttestation) { kept.insert(.validAttestation) }
    if flags.contains(.ofDevice) { kept.insert(.ofDevice) }
    if isBlameless { kept.insert(.blameless) }
    return unsafe RememberedRecord(
      hash: groupHash, hashLength: hashLength, kind: kind, decision: decision, flags: kept,
      time: time, position: position, owner: keyID, identity: Digest128(identity),
      request: RequestIdentity(rest.requestID), subject: rest.subjectDigest, counter: counter)
  }
}

extension HashRow {
  /// The fingerprint of a finding about an event of this run; nil for `keyID`: by its device.
  func fingerprint(_ code: FindingCode, keyID: Digest256?) -> UInt64 {
    unsafe Fingerprint.record(
      code, kind: kind, keyID: keyID, clientDataHash: Array(rest.clientDataHash),
      counter: counter, time: time)
  }

  /// The fingerprint of a finding about an event of this run.
  func fingerprint(_ code: FindingCode) -> UInt64 { fingerprint(code, keyID: knownKeyID) }
}

/// What a finding says of an event that is remembered: neither App ID nor request identifier are.
extension FindingSubject {
  init(_ record: RememberedRecord) {
    self.init(
      time: record.time, kind: record.kind,
      keyID: record.flags.contains(.ofDevice) ? nil : record.owner,
      clientDataHash: record.hash.bytes, counter: record.counter, position: record.position,
      decision: record.decision)
  }

  /// That of a row of an event of an earlier run.
  init(remembered row: HashRow) {
    self.init(
      time: row.time, kind: row.kind, keyID: row.knownKeyID,
      clientDataHash: row.groupHash.bytes, counter: row.counter, position: row.position,
      decision: row.decision)
  }
}
