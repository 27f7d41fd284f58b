internal import AppAttest
internal import AuditLog

/// Judges the events of one clientDataHash: those of this run once, kept ones against what was found of
/// them before. Used by the thread of its reduce alone.
final class ReplayJudge {
  /// What is and was wrong with an event's challenge.
  struct ChallengeChange {
    var was: FindingCode?
    var now: FindingCode?
    var issue: IssuedChallenges.Issue?
  }

  /// What is known of a kept event besides its row.
  struct Place {
    var challenge: ChallengeChange?
    /// The clientDataHash of its group, where it is known as it is.
    var groupHash: [UInt8]
  }

  private let rule: ChallengeRule
  private let writer: ReplayWriter
  private let withdrawals: Withdrawals
  /// Nil where the run stands alone.
  private let memory: ReplayMemory?

  init(
    _ rule: ChallengeRule, _ writer: ReplayWriter, _ withdrawals: Withdrawals,
    memory: ReplayMemory?
  ) {
    self.rule = rule
    self.writer = writer
    self.withdrawals = withdrawals
    self.memory = memory
  }

  /// Finds `challenge.not_issued` and `challenge.expired`.
  func checkChallenge(
    _ event: HashRow, _ codes: inout CodeSet, _ challenge: IssuedChallenges.Issue?
  ) throws(AuditError) {
    guard let code = rule.verdict(on: challenge, at: event.time) else { return }
    let finding = ReplayFinding(
      code: code, related: challenge?.position, detail: rule.sentence(challenge, at: event.time))
    try writer.report(finding, of: event, &codes)
  }

  /// Judges an event of this run; `isRemembered`: and leaves it to later ones.
  func settle(
    _ event: ReplayEvent, _ finding: (code: FindingCode, related: Position)?,
    isRemembered: Bool = true
  ) throws(AuditError) {
    let row = event.row
    var codes = event.codes
    if let finding {
      try writer.report(.replay(finding.code, of: finding.related), of: row, &codes)
    }
    for counter in ReplayFinding.counters(row) where event.note.same == nil {
      try writer.report(counter, of: row, &codes)
    }
    if row.flags.contains(.mayBeReattested), !event.note.isAttestedBefore {
      try writer.report(.reattested(after: row.rest.firstAttestation), of: row, &codes)
    }
    if isRemembered, let memory {
      try memory.remember(event: row, blame: blame(row, row.codes, tentativeCodes(row)))
    }
    if row.decision == .rejected, isHarmless(row.flags, codes) {
      try writer.report(.rejectedValid, of: row, &codes)
    }
    try writer.writeVerdict(row, codes)
    try writer.addToKey(row, codes.subtracting(row.codes))
  }

  private func tentativeCodes(_ row: HashRow) -> CodeSet {
    CodeSet(ReplayFinding.counters(row).map(\.code))
  }

  /// What later runs are to know speaks against an event.
  private func blame(
    _ row: HashRow, _ codes: CodeSet, _ tentative: CodeSet
  ) -> KeptRecord.Flags {
    guard row.decision == .rejected else { return [] }
    var blame: KeptRecord.Flags = []
    if isHarmless(row.flags, codes), !row.flags.contains(.mayBeReattested) {
      blame.insert(.blameless)
    }
    if !tentative.subtracting(writer.findings.harmless).isEmpty { blame.insert(.disputed) }
    return blame
  }

  // MARK: Kept events

  /// Compares what is found of an event of an earlier run with what was found of it before: what is new
  /// is reported, and what stands no more is withdrawn. `was` is what the replay table had for it.
  func revise(
    _ event: ReplayEvent, _ was: ReplayNote?, _ place: Place
  ) throws(AuditError) {
    let row = event.row
    let note = event.note
    let challenge = place.challenge
    let rest = row.rest
    let isKept = !event.isRemembered
    var (before, now) = (CodeSet(), CodeSet())
    if let code = was?.finding?.code { before.insert(code) }
    if let code = note.finding?.code { now.insert(code) }
    if let code = challenge?.was { before.insert(code) }
    if let code = challenge?.now { now.insert(code) }
    let known = row.rememberedFlags
    if isKept {
      if note.same == nil { now = now.union(tentativeCodes(row)) }
      if row.flags.contains(.mayBeReattested), !note.isAttestedBefore { now.insert(.keyReattested) }
      if row.decision == .rejected, isHarmless(row.flags, row.codes.union(now)) {
        now.insert(.decisionRejectedValid)
      }
      if let said = rest.was {
        if was?.same == nil { before = before.union(said.tentative) }
        if said.flags.contains(.mayBeReattested), was?.isAttestedBefore != true {
          before.insert(.keyReattested)
        }
        if row.decision == .rejected, isHarmless(said.flags, said.codes.union(before)) {
          before.insert(.decisionRejectedValid)
        }
      }
      try rememberAgain(row, rest.was)
    } else if known.contains(.blameless) {
      func isValid(_ codes: CodeSet, _ note: ReplayNote?) -> Bool {
        isHarmless([], codes) && !(known.contains(.disputed) && note?.same == nil)
      }
      if isValid(before, was) { before.insert(.decisionRejectedValid) }
      if isValid(now, note) { now.insert(.decisionRejectedValid) }
    }
    guard !(before.isEmpty && now.isEmpty) || (isKept && rest.was == nil) else { return }
    // Of other hashes than those of 32 bytes only the digest is remembered.
    let hash = row.hashLength == 32 ? row.groupHash.bytes : place.groupHash
    guard hash.count == Int(row.hashLength) else { return }
    var subject = FindingSubject(remembered: row, clientDataHash: hash)
    if isKept {
      try writer.complete(&subject, row, rest)
    }
    if isKept, rest.was == nil { return try move(event, subject, now, challenge?.issue) }
    for code in now.intersection(before).codes { withdrawals.stands(subject.fingerprint(code)) }
    for code in before.subtracting(now).codes {
      withdrawals.withdraw(code, of: row.keyID, subject)
    }
    for code in now.subtracting(before).codes {
      try report(code, event, subject, challenge?.issue)
    }
  }

  /// Reports what is found of an event whose device had no key before: what was said of the device is
  /// said of its key.
  private func move(
    _ event: ReplayEvent, _ subject: FindingSubject, _ now: CodeSet,
    _ issue: IssuedChallenges.Issue?
  ) throws(AuditError) {
    var ofDevice = subject
    ofDevice.keyID = nil
    for code in Self.settledHere.codes {
      withdrawals.withdraw(code, of: event.row.keyID, ofDevice)
    }
    for code in Self.settledHere.subtracting(now).codes {
      withdrawals.withdraw(code, of: event.row.keyID, subject)
    }
    for code in now.codes { try report(code, event, subject, issue) }
  }

  /// The findings that are settled by clientDataHash.
  private static let settledHere = CodeSet([
    .recordDuplicate, .replayRetry, .replayAssertion, .replayAttestation, .replayCrossKey,
    .replayClientDataHash, .challengeNotIssued, .challengeExpired, .decisionRejectedValid,
  ])

  /// Leaves an event to later runs once more where its key's judges say something else of it.
  private func rememberAgain(_ row: HashRow, _ was: HashRow.Was?) throws(AuditError) {
    let tentative = tentativeCodes(row)
    let now = HashRow.Was(
      codes: row.codes, tentative: tentative, flags: row.flags.subtracting(.kept))
    guard now != was else { return }
    try memory?.remember(event: row, blame: blame(row, row.codes, tentative))
  }

  /// Reports what is found only now of a kept event, unless it stands already.
  private func report(
    _ code: FindingCode, _ event: ReplayEvent, _ subject: FindingSubject,
    _ issue: IssuedChallenges.Issue?
  ) throws(AuditError) {
    let fingerprint = subject.fingerprint(code)
    withdrawals.stands(fingerprint)
    let severity = writer.findings.severity(code, event.row.decision)
    guard try withdrawals.isNews(fingerprint, severity) else { return }
    try writer.report(
      finding(code, event, issue), ofKept: event.row, subject, severity)
  }

  /// Returns a code of an event as a finding.
  private func finding(
    _ code: FindingCode, _ event: ReplayEvent, _ issue: IssuedChallenges.Issue?
  ) -> ReplayFinding {
    if let counter = ReplayFinding.counters(event.row).first(where: { $0.code == code }) {
      return counter
    }
    switch code {
    case .challengeNotIssued, .challengeExpired:
      return ReplayFinding(
        code: code, related: issue?.position, detail: rule.sentence(issue, at: event.row.time))
    case .keyReattested: return .reattested(after: event.row.rest.firstAttestation)
    case .decisionRejectedValid: return .rejectedValid
    default: return .replay(code, of: event.note.finding?.related)
    }
  }

  /// Whether nothing speaks against a record that the server rejected. What counts all assertions
  /// of a key speaks against each of them.
  private func isHarmless(_ flags: HashRow.Flags, _ codes: CodeSet) -> Bool {
    var codes = codes
    if flags.contains(.unverifiable) {
      codes.insert(flags.contains(.untrusted) ? .keyUntrusted : .keyUnknown)
    }
    return codes.subtracting(writer.findings.harmless).isEmpty
  }
}
