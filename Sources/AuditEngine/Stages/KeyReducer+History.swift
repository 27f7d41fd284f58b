internal import AppAttest

/// Events of earlier runs, and those of this run that later ones look at again.
extension KeyReducer {
  /// Keeps an assertion that may be looked at again.
  func keep(
    _ event: EventRow, _ rest: EventRow.Rest, _ outcome: EventOutcome, _ key: KeyContext,
    _ keeper: KeyKeeper
  ) throws(AuditError) {
    if outcome.isUnverifiable {
      try keeper.keep(waiting: event, rest, key)
    } else if outcome.signatureHolds {
      try keeper.keep(judged: event, rest, outcome.tentative?.code, key)
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
    if let keeper { try keep(event, rest, outcome, key, keeper) }
    if codes.intersects(.checks) {
      state.failed += 1
    } else if outcome.signatureHolds {
      try checkSubject(event, rest, &codes, &state)
    }
    try passOn(event, rest, codes, outcome)
  }

  /// Takes an assertion that an earlier run judged: with what has come since, its counter may be
  /// another than it was.
  func take(kept event: EventRow, _ state: inout KeyState) throws(AuditError) {
    let rest = event.rest
    let said = KeptRow.code(rest)
    guard let keeper,
      let change = state.counters.take(
        kept: event.counter, time: event.time, at: event.position,
        isRepeated: said == .counterRepeated)
    else { return }
    let (before, now) = change
    let subject = try subject(event, rest)
    if before.code != now.code {
      if let code = before.code, code != .counterRegression { try keeper.close(code, subject) }
      if let code = now.code, code != said,
        try !keeper.wasReported(subject.fingerprint(code))
      {
        let sentence = HashRow.Tentative(code: code, expected: now.expected)
          .sentence(event.counter)
        try report(
          code, subject, expected: now.expected, related: code == .counterGap ? nil : now.carrier,
          sentence, &state)
      }
    }
    guard let stored = rest.serverCounter, state.counters.isExpectedKnown,
      before.expected != now.expected
    else { return }
    if stored == before.expected {
      try report(
        .counterServerMismatch, subject, expected: now.expected, related: nil,
        HashRow.ServerMismatch(expected: now.expected, stored: stored).sentence, &state)
    } else if stored == now.expected {
      try keeper.close(.counterServerMismatch, subject)
    }
  }

  /// Reports what is found only now of an assertion of an earlier run.
  private func report(
    _ code: FindingCode, _ subject: FindingSubject, expected: UInt32, related: Position?,
    _ detail: String, _ state: inout KeyState
  ) throws(AuditError) {
    let severity = findings.severity(code, subject.decision)
    state.count(CodeSet([code]), subject.decision, findings)
    try findings.emit(code, subject, expected: expected, related: related, detail: detail)
    // The server was right after all.
    if subject.decision == .rejected, severity > .info {
      try keeper?.close(.decisionRejectedValid, subject)
    }
  }
}
