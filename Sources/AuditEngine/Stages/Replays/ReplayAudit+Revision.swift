internal import AppAttest
internal import AuditLog

// Events of earlier runs: what is found of one now is compared with what was found of it before; what
// is new is reported, and what stands no more is withdrawn.
extension ReplayAudit {
  private var withdrawals: Withdrawals { context.withdrawals }

  /// The findings about an event's challenge, before and now.
  struct ChallengeChange {
    var was: FindingCode?
    var now: FindingCode?
    var issue: IssuedChallenges.Issue?
  }

  /// Records what is and was wrong with the challenge of an event.
  func compare(_ issue: IssuedChallenges.Issue?, of position: Position, at time: Int64) {
    let was = challengeRule.verdict(on: issued.latestEarlier, at: time)
    let now = challengeRule.verdict(on: issue, at: time)
    guard was != nil || now != nil else { return }
    challenges[position] = ChallengeChange(was: was, now: now, issue: issue)
    if was != now { group.revise() }
  }

  /// Judges an event of an earlier run again. `was` is what the replay table had for it.
  func revise(_ event: JudgedEvent, _ was: ReplayNote) throws(AuditError) {
    let row = event.row
    let said = row.rest.was
    if !event.isRemembered { try rememberAgain(row, said) }
    let reported = try report(event, was, said)
    var emitted = CodeSet()
    if !event.isRemembered {
      emitted = row.codes.subtracting(said?.codes ?? CodeSet())
      if let code = row.flags.unverifiableCode { emitted.insert(code) }
    }
    try output.addToKey(event, reported, graded: output.grade(event, emitted))
  }

  /// Reports and withdraws what is found of an event of an earlier run, and returns the codes that are reported.
  private func report(
    _ event: JudgedEvent, _ was: ReplayNote, _ said: HashRow.Was?
  ) throws(AuditError) -> CodeSet {
    let row = event.row
    let isKept = !event.isRemembered
    // Of other hashes than those of 32 bytes only the digest is remembered.
    let hash = row.hashLength == 32 ? row.groupHash.bytes : groupHash
    guard hash.count == Int(row.hashLength) else { return CodeSet() }
    var subject = Finding(remembered: row, clientDataHash: hash)
    let (before, now) = try codes(of: event, was, standing(event, was, subject))
    guard isUnsettled || !(before.isEmpty && now.isEmpty) || (isKept && said == nil) else {
      return CodeSet()
    }
    if isKept { try output.complete(&subject, from: row) }
    if isKept, said == nil { return try move(event, subject, now) }
    var changed = isUnsettled ? now : now.subtracting(before)
    for code in now.intersection(before).codes {
      if event.grading(code) != event.grading(code, by: was) { changed.insert(code) }
      withdrawals.stands(subject.fingerprint(code))
    }
    for code in before.subtracting(now).codes {
      withdrawals.withdraw(code, of: row.keyID, subject)
    }
    if isUnsettled {
      // Without the judges of its key, little else is known of what was rejected.
      let unknown =
        row.rememberedFlags.contains(.blameless) ? [] : [FindingCode.decisionRejectedValid]
      try withdrawals.withdraw(
        unsettled: subject, of: row.keyID,
        among: isKept
          ? .settledByHash.union(.counters).union(.reattested)
          : .settledByHash.subtracting(CodeSet(unknown)),
        found: now)
    }
    return try report(changed, event, subject)
  }

  /// Withdraws what was found of an event only in another log of the last run, and is not found now that it is read again.
  func withdraw(unsettled row: HashRow, found codes: CodeSet) throws(AuditError) {
    let subject = try Finding(row, context.apps, context.shuffles.texts)
    try withdrawals.withdraw(
      unsettled: subject, of: row.keyID, among: nil, found: codes)
  }

  /// Returns the codes of an event that its key's judges, or the decoder, found in an earlier run and that stand. If
  /// a copy's decision is not new, only those are asked for that this hash can withdraw.
  private func standing(
    _ event: JudgedEvent, _ was: ReplayNote, _ subject: Finding
  ) throws(AuditError) -> CodeSet {
    let row = event.row
    let isGraded = event.decision != row.decision.moreSevere(was.copies)
    guard event.isRemembered else {
      return isGraded ? row.codes.intersection(row.rest.was?.codes ?? CodeSet()) : CodeSet()
    }
    let isBlameless = row.rememberedFlags.contains(.blameless)
    return try withdrawals.standing(
      isGraded && !isBlameless ? row.foundByKey.union(.ofRecord) : row.foundByKey, subject)
  }

  /// Returns what was, and is, found of an event. `standing` is from judges who do not have it any more.
  private func codes(
    of event: JudgedEvent, _ was: ReplayNote, _ standing: CodeSet
  ) -> (before: CodeSet, now: CodeSet) {
    let row = event.row
    let note = event.note
    let challenge = challenges[row.position]
    var (before, now) = (standing, standing)
    if note.isAttestedBefore { now = now.subtracting(.reattested) }
    if let code = was.finding?.code { before.insert(code) }
    if let code = note.finding?.code { now.insert(code) }
    if let code = challenge?.was { before.insert(code) }
    if let code = challenge?.now { now.insert(code) }
    if event.isRemembered {
      let known = row.rememberedFlags
      guard known.contains(.blameless) else { return (before, now) }
      func isValid(_ codes: CodeSet, _ note: ReplayNote) -> Bool {
        rejections.isHarmless([], codes) && !(known.contains(.disputed) && !note.isExactReplay)
      }
      if isValid(before, was) { before.insert(.decisionRejectedValid) }
      if isValid(now, note) { now.insert(.decisionRejectedValid) }
      return (before, now)
    }
    now = now.union(event.found)
    if row.decision == .rejected, rejections.isHarmless(row.flags, row.codes.union(now)) {
      now.insert(.decisionRejectedValid)
    }
    guard let said = row.rest.was else { return (before, now) }
    if !was.isExactReplay { before = before.union(said.tentative) }
    if said.flags.contains(.mayBeReattested), !was.isAttestedBefore {
      before.insert(.keyReattested)
    }
    if row.decision == .rejected, rejections.isHarmless(said.flags, said.codes.union(before)) {
      before.insert(.decisionRejectedValid)
    }
    return (before, now)
  }

  /// Moves the findings about an event from its device, which had no key before, to the key.
  private func move(
    _ event: JudgedEvent, _ subject: Finding, _ now: CodeSet
  ) throws(AuditError) -> CodeSet {
    var ofDevice = subject
    ofDevice.keyID = nil
    for code in CodeSet.settledByHash.codes {
      withdrawals.withdraw(code, of: event.row.keyID, ofDevice)
    }
    for code in CodeSet.settledByHash.subtracting(now).codes {
      withdrawals.withdraw(code, of: event.row.keyID, subject)
    }
    return try report(now, event, subject)
  }

  /// Leaves an event to later runs once more where its key's judges say something else of it.
  private func rememberAgain(_ row: HashRow, _ was: HashRow.Was?) throws(AuditError) {
    let now = HashRow.Was(
      codes: row.codes, tentative: row.tentativeCodes, flags: row.flags.subtracting(.kept))
    guard now != was else { return }
    try memory?.remember(event: row, blame: rejections.blame(row))
  }

  /// Reports those of the codes that are news, and returns these.
  private func report(
    _ codes: CodeSet, _ event: JudgedEvent, _ subject: Finding
  ) throws(AuditError) -> CodeSet {
    var reported = CodeSet()
    for code in codes.codes {
      let isOfChallenge = code == .challengeNotIssued || code == .challengeExpired
      let earlier = try withdrawals.stored(subject, subject.fingerprint(code))
      let detail =
        isOfChallenge
        ? challengeRule.detail(challenges[event.row.position]?.issue, at: event.row.time)
        : context.places.detail(code, event, earlier: earlier)
      if try output.report(code, event, subject, detail) { reported.insert(code) }
    }
    return reported
  }
}
