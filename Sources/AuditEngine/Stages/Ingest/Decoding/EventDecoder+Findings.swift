internal import AppAttest
internal import AuditLog

// The findings of the decoder, and what they say of a record.
extension EventDecoder {
  /// Finds `challenge.weak`: fewer than 16 bytes.
  func checkStrength(_ draft: inout EventDraft, _ bytes: Span<UInt8>) throws(AuditError) {
    let leastBytes = 16
    guard let count = draft.record.clientData?.count, count < leastBytes,
      draft.record.isChallenge || detection.replayScope != .exact
    else { return }
    let what = draft.record.isChallenge ? "challenge" : "client data"
    try find(
      .challengeWeak, &draft, bytes, "The \(what) is \(count) bytes long, fewer than \(leastBytes)."
    )
  }

  /// Finds oddities in how the record is written, of challenges and malformed tokens too.
  @inline(__always)
  func checkWriting(_ draft: inout EventDraft, _ bytes: Span<UInt8>) throws(AuditError) {
    guard draft.record.hasPlatformMismatch || draft.record.oddJSON != nil || draft.isOdd(bytes)
    else { return }
    try findWriting(&draft, bytes)
  }

  /// Finds `record.odd_json`, `record.platform_mismatch` and `record.odd_encoding`.
  private func findWriting(_ draft: inout EventDraft, _ bytes: Span<UInt8>) throws(AuditError) {
    if let oddities = draft.record.oddJSON {
      try find(
        .recordOddJSON, &draft, bytes,
        "The line is not strict JSON and was read with tolerance for \(text(oddities, bytes)).")
    }
    if draft.record.hasPlatformMismatch {
      try find(
        .recordPlatformMismatch, &draft, bytes,
        "The record names the platform or format '\(text(draft.record.foreignName, bytes))', but its "
          + "token may be App Attest's.")
    }
    if draft.isOdd(bytes) {
      try find(
        .recordOddEncoding, &draft, bytes,
        OddEncoding.sentence(
          fields: draft.record.oddFieldNames, hasTags: draft.hasTags(bytes)))
    }
  }

  func checkHash(
    _ draft: inout EventDraft, _ bytes: Span<UInt8>
  ) throws(AuditError) {
    guard draft.hash.isMismatch else { return }
    let recorded = DetailText.hex(draft.record.clientDataHash.map { bytes.extracting($0).copied() })
    let what =
      draft.record.clientDataIsHash
      ? "the recorded client data" : "the SHA-256 of the recorded client data"
    try find(
      .recordClientDataHashMismatch, &draft, bytes,
      "The recorded clientDataHash is \(recorded), not \(what), "
        + "\(DetailText.hex(bytes.extracting(draft.hash.range).copied())).")
  }

  private func text(_ range: Range<Int>?, _ bytes: Span<UInt8>) -> String {
    range.map { bytes.extracting($0).text } ?? ""
  }

  /// Counts a record whose app no setting names, unless its token is of a configured app.
  func countUnconfigured(
    _ draft: EventDraft, _ bytes: Span<UInt8>, rpIDHash: Digest256, tokenSays: () -> String?
  ) {
    guard draft.record.decision != .rejected, apps.judge(rpIDHash: rpIDHash).index == nil else {
      return
    }
    if let appID = draft.record.appID {
      let id = bytes.extracting(appID)
      return unconfigured.count(.sha256(id)) { id.text }
    }
    unconfigured.count(rpIDHash) {
      tokenSays().flatMap { Digest256.sha256(Array($0.utf8).span) == rpIDHash ? $0 : nil }
    }
  }

  /// Returns what the record says, or else the configured app that the rpIdHash names.
  private func appID(_ draft: EventDraft, _ bytes: Span<UInt8>) -> String {
    if let appID = draft.record.appID { return bytes.extracting(appID).text }
    return draft.app == EventRow.noApp ? "" : apps.apps[Int(draft.app)].id
  }

  func find(
    _ code: FindingCode, _ draft: inout EventDraft, _ bytes: Span<UInt8>, _ detail: String
  ) throws(AuditError) {
    draft.codes.insert(code)
    // What a device's key has to do with it is found where devices are joined.
    guard findings.isWriting || devices != nil else { return }
    let subject = subject(draft, bytes)
    if let devices, let device = draft.joinedDevice {
      return try devices.put(code, subject, of: device, time: draft.record.time, detail: detail)
    }
    try findings.emit(code, subject, FindingDetail(detail))
  }

  func subject(_ draft: EventDraft, _ bytes: Span<UInt8>) -> Finding {
    let record = draft.record
    var finding = Finding(
      time: record.time, kind: record.kind, keyID: draft.keyID,
      appID: appID(draft, bytes), clientDataHash: bytes.extracting(draft.hash.range).copied(),
      counter: draft.counter, position: draft.position, decision: record.decision)
    for text in RequestText.allCases { finding[text] = self.text(record[text], bytes) }
    return finding
  }
}
