internal import AppAttest

/// Events of earlier runs, of which this one may say something else.
extension ReplayAudit {
  /// Looks again at the events of earlier runs before `time`, for which the challenges of this run may
  /// have come late.
  func reviseChallenges(before time: Int64) throws(AuditError) {
    guard let memory else { return }
    while let (event, isLast) = memory.next(before: time) {
      let challenge = try issued.last(until: event.time)
      let before = verdict(on: issued.latestEarlier, at: event.time)
      let now = verdict(on: challenge, at: event.time)
      guard before != now else { continue }
      let subject = FindingSubject(event)
      if let before { close(before, subject, event.owner) }
      guard isLast else { continue }
      if let now {
        try report(
          now, subject, event.owner, related: challenge?.position,
          sentence(challenge, at: event.time))
      }
      guard event.flags.contains(.blameless) else { continue }
      if now.map(harmless.contains) ?? true {
        try report(.decisionRejectedValid, subject, event.owner, Self.rejectedValid)
      } else {
        close(.decisionRejectedValid, subject, event.owner)
      }
    }
  }

  /// Looks again at an event that an earlier run could not verify: since this one verified others
  /// with its hash, or found that another one's signature does not hold.
  func reviseReplay(
    _ event: HashRow, _ finding: (code: FindingCode, related: Position)?
  ) throws(AuditError) {
    // Of other hashes than those of 32 bytes only the digest is remembered.
    guard event.hashLength == Digest256.byteCount else { return }
    let subject = FindingSubject(remembered: event)
    for code in Self.replayCodes where code != finding?.code {
      close(code, subject, event.keyID)
    }
    guard let finding else { return }
    try report(
      finding.code, subject, event.keyID, related: finding.related, Self.sentence(finding.code))
    if event.decision == .rejected, !harmless.contains(finding.code) {
      close(.decisionRejectedValid, subject, event.keyID)
    }
  }

  /// The findings of the replay table.
  private static let replayCodes: [FindingCode] = [
    .recordDuplicate, .replayRetry, .replayAssertion, .replayAttestation, .replayCrossKey,
    .replayClientDataHash,
  ]

  /// Reports what is found only now of an event of an earlier run.
  private func report(
    _ code: FindingCode, _ subject: FindingSubject, _ owner: Digest256, related: Position? = nil,
    _ detail: String
  ) throws(AuditError) {
    let fingerprint = subject.fingerprint(code)
    memory?.stands([fingerprint])
    guard let memory, try !memory.wasReported([fingerprint]) else { return }
    try findings.emit(code, subject, related: related, detail: detail)
    guard subject.keyID != nil else { return }
    KeyRow.writeAddition(
      keyID: owner, at: subject.position, findings: 1,
      worst: findings.severity(code, subject.decision), row)
    unsafe try keys.append(row.row)
  }

  private func close(_ code: FindingCode, _ subject: FindingSubject, _ owner: Digest256) {
    memory?.close(code, of: owner, [subject.fingerprint(code)])
  }

  /// Closes what was said of an event while it waited and is not found any more.
  func close(waited event: HashRow, found codes: CodeSet) {
    for code in Self.provisional where !codes.contains(code) {
      memory?.close(code, of: event.keyID, Self.fingerprints(code, event))
    }
  }

  /// What can be said of an assertion of an unknown key, and may be wrong once the key is known.
  private static let provisional: [FindingCode] = [
    .recordDuplicate, .replayRetry, .replayAssertion, .replayCrossKey, .replayClientDataHash,
    .challengeNotIssued, .challengeExpired,
  ]

  /// The fingerprints that a finding about an event that waited may have: its key may have been known
  /// by its device only.
  static func fingerprints(_ code: FindingCode, _ event: HashRow) -> [UInt64] {
    let hash = unsafe Array(event.rest.clientDataHash)
    let keyIDs = event.knownKeyID == nil ? [nil] : [event.knownKeyID, nil]
    return keyIDs.map { keyID in
      Fingerprint.record(
        code, kind: event.kind, keyID: keyID, clientDataHash: hash, counter: event.counter,
        time: event.time)
    }
  }
}
