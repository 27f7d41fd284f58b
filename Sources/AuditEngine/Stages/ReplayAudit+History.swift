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
      guard before != now || (now != nil && memory.isRevised) else { continue }
      let subject = FindingSubject(event)
      let earlier = memory.earlier
      guard before != now else {
        if let now { earlier.stands(subject.fingerprint(now)) }
        continue
      }
      if let before { earlier.close(before, of: event.owner, subject.fingerprint(before)) }
      guard isLast else { continue }
      if let now {
        try report(
          now, subject, of: event.owner, related: challenge?.position,
          sentence(challenge, at: event.time))
      }
      if event.flags.contains(.blameless), now.map(findings.isHarmless) ?? true,
        try !earlier.isBlamed(subject)
      {
        try report(.decisionRejectedValid, subject, of: event.owner, Self.rejectedValid)
      }
    }
  }

  /// Looks again at an event of an earlier run where this one changes what stands in front of those
  /// that could not be verified: it verified others with their hash, or found that a signature does
  /// not hold.
  func reviseReplay(
    _ event: HashRow, _ finding: (code: FindingCode, related: Position)?
  ) throws(AuditError) {
    guard let memory else { return }
    let earlier = memory.earlier
    // Of other hashes than those of 32 bytes only the digest is remembered.
    guard event.hashLength == Digest256.byteCount else { return earlier.closesNothing() }
    let subject = FindingSubject(remembered: event)
    guard event.flags.contains(.behind) else {
      return standAll(subject, memory)
    }
    // Unless an event left the group an event can only move further behind: where it seems not to, what
    // it repeats was forgotten.
    let isLeft = leftFrom.map { event.position.source >= $0 } ?? false
    let hasOther = try hasOtherSame(subject, finding?.code)
    if isLeft || (finding != nil && !hasOther) {
      for code in Self.replayCodes where code != finding?.code {
        earlier.close(code, of: event.keyID, subject.fingerprint(code))
      }
    } else {
      standAll(subject, memory)
    }
    guard let finding, isLeft || !hasOther || !Self.sameCodes.contains(finding.code) else { return }
    try report(
      finding.code, subject, of: event.keyID, related: finding.related,
      Self.sentence(finding.code))
  }

  /// Lets every finding of the replay table stand that may have been reported of an event.
  private func standAll(_ subject: FindingSubject, _ memory: ReplayMemory) {
    guard memory.isRevised else { return }
    for code in Self.replayCodes { memory.earlier.stands(subject.fingerprint(code)) }
  }

  /// Whether another finding about the same assertion or attestation was reported of an event, or of
  /// one that shares its fingerprint.
  private func hasOtherSame(
    _ subject: FindingSubject, _ code: FindingCode?
  ) throws(AuditError) -> Bool {
    for same in Self.sameCodes where same != code {
      if try memory?.earlier.isOpen(subject.fingerprint(same)) ?? false { return true }
    }
    return false
  }

  /// The findings of the replay table about the same assertion or attestation.
  private static let sameCodes: [FindingCode] = [
    .recordDuplicate, .replayRetry, .replayAssertion, .replayAttestation,
  ]
  /// The findings of the replay table.
  private static let replayCodes = sameCodes + [.replayCrossKey, .replayClientDataHash]
  /// What can be said of an event of an unknown key, and may be wrong once the key is known.
  private static let provisional =
    replayCodes + [.challengeNotIssued, .challengeExpired, .decisionRejectedValid]

  /// Reports what is found only now of an event of an earlier run.
  private func report(
    _ code: FindingCode, _ subject: FindingSubject, of owner: Digest256,
    related: Position? = nil, _ detail: String
  ) throws(AuditError) {
    guard let memory,
      try memory.earlier.report(code, subject, of: owner, related: related, detail),
      subject.keyID != nil
    else { return }
    KeyRow.writeAddition(
      keyID: owner, at: subject.position, findings: 1,
      worst: findings.severity(code, subject.decision), row)
    unsafe try keys.append(row.row)
  }

  /// Closes what was said of an event while it waited: what is not found any more, or all where it was
  /// known by its device only, since it is found of its key now.
  func close(waited event: HashRow, found codes: CodeSet) {
    guard let memory, let wasDevice = memory.waitedAsDevice(event) else { return }
    for code in Self.provisional where wasDevice || !codes.contains(code) {
      memory.earlier.close(
        code, of: event.keyID, event.fingerprint(code, keyID: wasDevice ? nil : event.knownKeyID))
    }
  }
}
