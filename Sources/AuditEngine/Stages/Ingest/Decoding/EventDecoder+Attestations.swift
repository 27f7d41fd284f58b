internal import AppAttest
internal import AuditLog
internal import RowShuffle

// Attestations: judged one by one, or with others that wait.
extension EventDecoder {
  func decodeAttestation(
    _ draft: inout EventDraft, _ bytes: Span<UInt8>
  ) throws(AuditError) {
    guard let keyID = draft.keyID else { return }
    let record = AttestationRecord(
      keyIdentifier: keyID, clientDataHash: bytes.extracting(draft.hash.range).copied(),
      appID: draft.record.appID.map { bytes.extracting($0).text }, time: draft.record.time,
      isLossy: isLossy(draft.record.clientData, bytes))
    if attestations?.take(draft, bytes, record) == true {
      if attestations?.isFull == true { try settleWaiting() }
      return
    }
    let judgement = verifier.judge(
      token: bytes.extracting(draft.record.token), of: record)
    try settle(&draft, bytes, judgement)
  }

  /// Judges the attestations that wait, and puts their rows into the shuffles; after the last record.
  func finish() throws(AuditError) {
    try settleWaiting()
    try beside?.settleWaiting()
  }

  private func settleWaiting() throws(AuditError) {
    try attestations?.judge { (draft, bytes, judgement) throws(AuditError) in
      var draft = draft
      try settle(&draft, bytes.span, judgement)
    }
  }

  private func settle(
    _ draft: inout EventDraft, _ bytes: Span<UInt8>, _ judgement: AttestationJudgement
  ) throws(AuditError) {
    guard let keyID = draft.keyID else { return }
    let judged: JudgedAttestation
    switch judgement {
    case .malformed(let reason):
      try keepMalformed(.attestationMalformed, &draft, bytes, reason)
      begin(&draft, section: .registry, identity: Digest256())
      try putRest(&draft, bytes)
      unsafe try byKey.append(row.row)
      return try putDevice(draft, of: keyID, point: [], bytes)
    case .judged(let attestation):
      judged = attestation
    }
    draft.counter = judged.counter
    draft.extensions = judged.extensions
    draft.isLossy = judged.isNonceUnchecked
    if let index = judged.appIndex {
      draft.app = UInt16(index)
    } else if let object = try? AttestationObject.parse(bytes.extracting(draft.record.token)) {
      countUnconfigured(draft, bytes, rpIDHash: object.authenticatorData.rpIDHash) {
        object.leafAppID
      }
    }
    try checkWriting(&draft, bytes)
    try checkHash(&draft, bytes)
    if judged.isNonceUnchecked {
      try find(.recordClientDataLossy, &draft, bytes, LossyClientData.sentence(of: "nonce"))
    }
    for failure in judged.failures {
      try find(FindingCode(failure.check), &draft, bytes, failure.detail)
    }
    addSigns(draft, judged)
    try checkStrength(&draft, bytes)
    if judged.verified != nil { draft.flags.insert(.valid) }
    begin(&draft, section: .event, identity: judged.nonce)
    try putRest(&draft, bytes)
    unsafe try byKey.append(row.row)
    begin(&draft, section: .registry, identity: judged.nonce)
    try putRest(&draft, bytes)
    if let verified = judged.verified { try AttestedFacts(verified, judged).append(to: row) }
    unsafe try byKey.append(row.row)
    try putDevice(draft, of: keyID, point: judged.verified?.publicKey ?? [], bytes)
  }

  /// Counts what the attestation shows of the log.
  private func addSigns(_ draft: EventDraft, _ judged: JudgedAttestation) {
    let length = UInt64(draft.record.clientData?.count ?? 0)
    if judged.failures.contains(where: { $0.check == .nonceMismatch }) {
      guard draft.record.clientData != nil else { return }
      findings.signs.add(.misfit, at: draft.position, value: length)
    } else if judged.verified != nil, !judged.isNonceUnchecked {
      findings.signs.add(verified: length, of: draft.position.source)
      guard judged.extensions.category.value != nil else { return }
      findings.signs.add(.category, at: draft.position)
    }
  }

  private func putDevice(
    _ draft: EventDraft, of keyID: Digest256, point: [UInt8], _ bytes: Span<UInt8>
  ) throws(AuditError) {
    guard let devices, let device = draft.device, let text = draft.record.deviceID else { return }
    let claim = DeviceClaim(
      isValid: draft.flags.contains(.valid),
      isRejected: draft.record.decision == .rejected)
    try devices.put(
      attestation: keyID, claim, point: point, of: device, text: bytes.extracting(text),
      time: draft.record.time, position: draft.position)
  }
}
