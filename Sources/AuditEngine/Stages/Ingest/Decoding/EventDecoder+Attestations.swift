internal import AppAttest
internal import AuditLog
internal import RowShuffle
internal import Synchronization

// Attestations: judged one by one, or with others that wait.
extension EventDecoder {
  func decodeAttestation(
    _ draft: inout EventDraft, _ bytes: Span<UInt8>
  ) throws(AuditError) {
    guard let keyID = draft.keyID else { return }
    let start = StageClock.now
    let record = AttestationRecord(
      keyIdentifier: keyID, clientDataHash: bytes.extracting(draft.hash.range).copied,
      appID: draft.record.appID.map { bytes.extracting($0).text }, time: draft.record.time)
    let waits = attestations?.take(draft, bytes, record) == true
    let judgement =
      waits
      ? nil
      : context.verifier.judge(
        token: bytes.extracting(draft.record.token), of: record)
    context.clock.attesting.add(since: start)
    if let judgement { return try settle(&draft, bytes, judgement) }
    if attestations?.isFull == true { try finish() }
  }

  /// Judges the attestations that wait, and puts their rows into the shuffles. To be called after
  /// the last record.
  func finish() throws(AuditError) {
    guard let attestations else { return }
    var settling = 0
    let start = StageClock.now
    try attestations.settle { (draft, bytes, judgement) throws(AuditError) in
      let start = StageClock.now
      try settle(&draft, bytes, judgement)
      settling += StageClock.now - start
    }
    context.clock.attesting.add(StageClock.now - start - settling, ordering: .relaxed)
  }

  /// Puts a judged attestation into the shuffles.
  private func settle(
    _ draft: inout EventDraft, _ bytes: Span<UInt8>, _ judgement: AttestationJudgement
  ) throws(AuditError) {
    guard let keyID = draft.keyID else { return }
    let judged: JudgedAttestation
    switch judgement {
    case .malformed(let reason):
      try keepMalformed(.attestationMalformed, &draft, bytes, reason)
      begin(draft, section: .registry, identity: Digest256())
      try putRest(draft, bytes)
      unsafe try byKey.append(row.row)
      return try putDevice(draft, of: keyID, point: [], bytes)
    case .judged(let attestation):
      judged = attestation
    }
    draft.counter = judged.counter
    if let index = judged.appIndex {
      draft.app = UInt16(index)
    } else if let object = try? AttestationObject.parse(bytes.extracting(draft.record.token)) {
      countUnconfigured(draft, bytes, rpIDHash: object.authenticatorData.rpIDHash) {
        object.leafAppID
      }
    }
    try checkWriting(&draft, bytes)
    try checkHash(&draft, bytes)
    for failure in judged.failures {
      try find(FindingCode(failure.check), &draft, bytes, failure.detail)
    }
    try checkStrength(&draft, bytes)
    if judged.verified != nil { draft.flags.insert(.valid) }
    begin(draft, section: .event, identity: judged.nonce)
    try putRest(draft, bytes)
    unsafe try byKey.append(row.row)
    begin(draft, section: .registry, identity: judged.nonce)
    try putRest(draft, bytes)
    if let verified = judged.verified { try AttestedFacts(verified, judged).write(row) }
    unsafe try byKey.append(row.row)
    try putDevice(draft, of: keyID, point: judged.verified?.publicKey ?? [], bytes)
  }

  /// Says which key the device has that the attestation names.
  private func putDevice(
    _ draft: EventDraft, of keyID: Digest256, point: [UInt8], _ bytes: Span<UInt8>
  ) throws(AuditError) {
    guard let devices, let device = draft.device, let text = draft.record.deviceID else { return }
    let claim = DeviceClaim(
      isValid: draft.flags.contains(.valid),
      isRejected: draft.record.decision == .rejected)
    try devices.put(
      DeviceWriter.Attestation(
        keyID: keyID, claim: claim, point: point, time: draft.record.time,
        position: draft.position),
      of: device, text: bytes.extracting(text))
  }
}
