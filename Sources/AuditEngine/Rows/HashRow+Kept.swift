internal import AppAttest
internal import AuditLog

/// Events and challenges as they are remembered, and remembered events as rows.
extension HashRow {
  /// Writes an event of an earlier run, the `number`th of its hash. It takes part in the replay
  /// audit unless it is void; where `isDamage`, only in what was before this run.
  static func write(
    _ record: KeptRecord, _ number: UInt32 = 0, isDamage: Bool = false, _ row: RowBuilder
  ) {
    var flags: Flags = record.flags.contains(.void) ? [] : .lookedAt
    if record.flags.contains(.behind) { flags.insert(.behind) }
    if record.flags.contains(.validAttestation) { flags.insert(.validAttestation) }
    if record.flags.contains(.ofDevice) { flags.insert(.ofDevice) }
    row.begin()
    row.put(
      Key(
        hash: record.hash, hashLength: record.hashLength, time: record.time,
        rowClass: .remembered, position: record.position))
    let bits = (isDamage ? damage : 0) | UInt64(record.flags.rawValue) << 32 | UInt64(number)
    row.put(
      Fields(
        kind: record.kind, decision: record.decision, flags: flags, counter: record.counter,
        keyID: record.owner, codes: CodeSet(bits: bits), identity: record.identity,
        recordDigest: record.digest))
    // No App ID.
    row.put(RowText.absentTag)
    row.put(
      RowTexts.presence { text in
        switch text {
        case .subject: record.subject != nil
        case .requestID: record.request != nil
        case .route: record.route != nil
        case .clientIP, .userAgent: false
        }
      })
    if let subject = record.subject { put(subject, length: 0, row) }
    if let request = record.request { put(request.digest, length: request.length, row) }
    if let route = record.route { put(route, length: 0, row) }
  }

  /// Writes a text of which the beginning of its digest is known: it is compared, never read.
  private static func put(_ digest: UInt64, length: UInt32, _ row: RowBuilder) {
    row.put(RowText.storedTag)
    row.put(Digest128(prefix: digest))
    row.put(UInt64(length))
    row.put(UInt64.max)
  }

  /// Returns what later runs are to know of the challenge, whose time was put back by `tolerance`.
  func rememberedChallenge(tolerance: Int64) -> KeptRecord {
    KeptRecord(
      hash: groupHash, hashLength: hashLength, kind: .challenge,
      flags: isInferred ? .inferred : [], time: keyTime &+ tolerance, position: position)
  }

  /// The bit of an event that a whole copy of its input replaces.
  private static let damage: UInt64 = 1 << 40

  /// True if the row is of the class `remembered` and a whole copy of its input replaces the event.
  var isDamage: Bool { rowClass == .remembered && codes.bits & Self.damage != 0 }

  /// The number of the record of class `remembered`: of one event's, the last says what it is.
  var number: UInt32 { UInt32(truncatingIfNeeded: codes.bits) }
  /// The flags that are remembered of the record besides its fields, for the class `remembered`.
  var rememberedFlags: KeptRecord.Flags {
    KeptRecord.Flags(rawValue: UInt8(truncatingIfNeeded: codes.bits >> 32))
  }

  /// The findings that the judges of its key may have found about an event of the class `remembered`.
  var foundByKey: CodeSet {
    if flags.contains(.validAttestation) { return .reattested }
    return rememberedFlags.contains(.disputed) ? .counters : CodeSet()
  }

  /// Returns what later runs are to know of the row's event; `blame` says what speaks against it.
  func rememberedEvent(
    blame: KeptRecord.Flags, _ subjects: inout TextDigests, _ routes: inout TextDigests
  ) -> KeptRecord {
    var kept: KeptRecord.Flags = flags.contains(.lookedAt) ? blame : blame.union(.void)
    if flags.contains(.behind) { kept.insert(.behind) }
    if flags.contains(.validAttestation) { kept.insert(.validAttestation) }
    if flags.contains(.ofDevice) { kept.insert(.ofDevice) }
    var record = unsafe KeptRecord(
      hash: groupHash, hashLength: hashLength, kind: kind, decision: decision, flags: kept,
      time: time, position: position, owner: keyID, identity: Digest128(identity),
      counter: counter, digest: recordDigest)
    texts.withEachOfRequest { name, text in
      switch name {
      case .requestID: record.request = RequestIdentity(text)
      case .subject: record.subject = subjects.digest(text)
      case .route: record.route = routes.digest(text)
      case .clientIP, .userAgent: break
      }
    }
    return record
  }
}

/// The facts of a finding about a remembered event, but for what its request's texts are.
extension Finding {
  /// Makes the facts of a row of the class `remembered`, whose clientDataHash is given.
  init(remembered row: HashRow, clientDataHash: [UInt8]) {
    self.init(
      time: row.time, kind: row.kind, keyID: row.knownKeyID, clientDataHash: clientDataHash,
      counter: row.counter, position: row.position, decision: row.decision)
  }
}
