internal import AppAttest

/// Events of earlier runs, and those of this run that later ones look at again.
extension KeyReducer {
  /// Keeps an assertion that may be looked at again.
  func keep(
    _ event: EventRow, _ rest: EventRow.Rest, _ outcome: EventOutcome, hasFailed: Bool,
    _ key: KeyContext, _ keeper: KeyKeeper
  ) throws(AuditError) {
    if outcome.isUnverifiable {
      try keeper.keep(waiting: event, rest, key)
    } else if outcome.signatureHolds {
      try keeper.keep(
        judged: event, rest, outcome.tentative?.code, hasFailed: hasFailed, key)
    }
  }

  /// Judges an assertion that waited since an earlier run: it was counted there, and what was found
  /// without its key was reported.
  func judgeWaiting(
    _ event: EventRow, _ key: KeyContext, _ holds: Bool, _ state: inout KeyState
  ) throws(AuditError) {
    var codes = event.codes
    let rest = event.rest
    try state.see(event, name(of: event, rest))
    state.assertions += 1
    state.settled += 1
    var outcome = EventOutcome()
    try judgeAssertion(event, rest, key, holds, &codes, &outcome, &state)
    // It is in the replay window already, behind all that was verified.
    if outcome.isUnverifiable { return }
    outcome.flags.insert(.waited)
    let hasFailed = codes.intersects(.checks)
    if let keeper { try keep(event, rest, outcome, hasFailed: hasFailed, key, keeper) }
    if hasFailed {
      state.failed += 1
    } else if outcome.signatureHolds {
      try checkSubject(event, rest, &codes, &state)
    }
    try passOn(event, rest, codes, outcome)
  }

  /// Takes an assertion that an earlier run judged: with what has come since, something else may be
  /// said of it.
  func take(kept event: EventRow, _ state: inout KeyState) throws(AuditError) {
    let rest = event.rest
    try reviseFirstUse(event, rest, state)
    try reviseSubject(event, rest, &state)
    try reviseCounter(event, rest, &state)
  }

  /// The key may have been attested before it was used, where it seemed not to have been.
  private func reviseFirstUse(
    _ event: EventRow, _ rest: EventRow.Rest, _ state: KeyState
  ) throws(AuditError) {
    guard let earlier, let was = state.key.remembered?.attestedAt, let now = state.attestedAt,
      event.time < was - detection.reorderTolerance
    else { return }
    let fingerprint = try subject(event, rest).fingerprint(.keyUsedBeforeAttestation)
    if event.time < now - detection.reorderTolerance {
      earlier.stands(fingerprint)
    } else {
      earlier.close(.keyUsedBeforeAttestation, of: event.keyID, fingerprint)
    }
  }

  /// The key's first subject may be another one than it was.
  private func reviseSubject(
    _ event: EventRow, _ rest: EventRow.Rest, _ state: inout KeyState
  ) throws(AuditError) {
    guard let earlier, !rest.subject.isAbsent, let was = state.key.remembered?.subject else {
      return
    }
    if event.position == was.position { state.isSubjectAhead = false }
    guard let now = state.subject, now.position != was.position else { return }
    let differed = unsafe !rest.subject.identity.elementsEqual(was.identity)
    let differs = unsafe !rest.subject.identity.elementsEqual(now.identity)
    guard differed || differs else { return }
    let subject = try subject(event, rest)
    let fingerprint = subject.fingerprint(.keySubjectChanged)
    guard differs else {
      return earlier.close(.keySubjectChanged, of: event.keyID, fingerprint)
    }
    guard !differed else { return earlier.stands(fingerprint) }
    try report(
      .keySubjectChanged, subject, related: now.position, Self.otherSubject, &state)
  }

  /// The counter's place may be another one than it was.
  private func reviseCounter(
    _ event: EventRow, _ rest: EventRow.Rest, _ state: inout KeyState
  ) throws(AuditError) {
    let said = KeptRow.code(rest)
    state.counters.advance(to: event.time, event.counter, at: event.position)
    try reviseStored(event, rest, &state)
    guard let earlier,
      let change = state.counters.take(
        kept: event.counter, time: event.time, at: event.position,
        isRepeated: said == .counterRepeated, isRejected: event.decision == .rejected)
    else { return }
    let (before, now) = change
    let subject = try subject(event, rest)
    if before.code != now.code {
      if let code = before.code, code != .counterRegression {
        earlier.close(code, of: event.keyID, subject.fingerprint(code))
      }
      if let code = now.code, code != said {
        let sentence = HashRow.Tentative(code: code, expected: now.expected)
          .sentence(event.counter)
        try report(
          code, subject, expected: now.expected, related: code == .counterGap ? nil : now.carrier,
          sentence, &state)
      }
    }
  }

  /// The server's stored counter may be another one than those that it may have had.
  private func reviseStored(
    _ event: EventRow, _ rest: EventRow.Rest, _ state: inout KeyState
  ) throws(AuditError) {
    guard let earlier, let stored = rest.serverCounter else { return }
    let was = state.counters.earlierMismatch(stored, at: event.time)
    let now = state.counters.mismatch(stored, at: event.time)
    guard state.counters.hasRecords, was != (now != nil) else { return }
    let subject = try subject(event, rest)
    guard let now else {
      return earlier.close(
        .counterServerMismatch, of: event.keyID, subject.fingerprint(.counterServerMismatch))
    }
    try report(
      .counterServerMismatch, subject, expected: now.expected, related: nil, now.sentence, &state)
  }

  /// Reports what is found only now of an assertion of an earlier run.
  private func report(
    _ code: FindingCode, _ subject: FindingSubject, expected: UInt32? = nil, related: Position?,
    _ detail: String, _ state: inout KeyState
  ) throws(AuditError) {
    guard let earlier, let owner = subject.keyID,
      try earlier.report(
        code, subject, of: owner, expected: expected, related: related, detail)
    else { return }
    state.count(CodeSet([code]), subject.decision, findings)
  }
}
