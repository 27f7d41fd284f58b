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
    guard event.flags.contains(.behind), try mayChange(subject, finding?.code) else {
      guard memory.isRevised else { return }
      for code in Self.replayCodes { earlier.stands(subject.fingerprint(code)) }
      return
    }
    for code in Self.replayCodes where code != finding?.code {
      earlier.close(code, of: event.keyID, subject.fingerprint(code))
    }
    guard let finding else { return }
    try report(
      finding.code, subject, of: event.keyID, related: finding.related,
      Self.sentence(finding.code))
  }

  /// Whether another finding may take the place of what earlier runs found. Unless an event left the
  /// group, an event can only move further behind: where it seems not to, what it repeats was forgotten.
  private func mayChange(
    _ subject: FindingSubject, _ code: FindingCode?
  ) throws(AuditError) -> Bool {
    if leavesFront { return true }
    guard let code else { return false }
    guard !Self.sameCodes.contains(code) else { return true }
    for same in Self.sameCodes
    where try memory?.earlier.isOpen(subject.fingerprint(same)) ?? false {
      return false
    }
    return true
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
