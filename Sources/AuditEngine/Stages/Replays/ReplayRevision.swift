internal import AppAttest
internal import AuditLog
internal import RowShuffle

/// The second look at events of earlier runs: what is found of one now is compared with what was found of
/// it before; what is new is reported, and what stands no more is withdrawn.
final class ReplayRevision {
  private let rejections: RejectionRule
  private let challengeRule: ChallengeRule
  private let sentences: ReplaySentences
  private let output: ReplayOutput
  private let withdrawals: Withdrawals
  private let memory: ReplayMemory?
  /// The challenge findings, before and now, of events of the group at hand.
  private var challenges: [Position: ChallengeChange] = [:]
  /// Whether an earlier run awaited challenges of the group at hand: it did not report those that were missing.
  var awaitsChallenges = false

  /// The findings about an event's challenge, before and now.
  private struct ChallengeChange {
    var was: FindingCode?
    var now: FindingCode?
    var issue: IssuedChallenges.Issue?
  }

  init(_ context: ReduceContext, _ output: ReplayOutput, _ memory: ReplayMemory?) {
    rejections = RejectionRule(harmless: context.findings.harmless)
    challengeRule = ChallengeRule(context.detection)
    sentences = ReplaySentences(places: context.places)
    self.output = output
    withdrawals = context.withdrawals
    self.memory = memory
  }

  // MARK: Challenges

  /// Records what is wrong with the challenge of an event, and what was wrong with it `before`.
  /// Returns true if that has changed.
  func compare(
    _ issue: IssuedChallenges.Issue?, before: IssuedChallenges.Issue?, of position: Position,
    at time: Int64
  ) -> Bool {
    let was = challengeRule.verdict(on: before, at: time)
    let now = challengeRule.verdict(on: issue, at: time)
    guard was != nil || now != nil else { return false }
    challenges[position] = ChallengeChange(was: was, now: now, issue: issue)
    return was != now
  }

  /// Forgets the challenges of a group.
  func endGroup() {
    awaitsChallenges = false
    if !challenges.isEmpty { challenges.removeAll(keepingCapacity: true) }
  }

  // MARK: Events

  /// Looks again at an event of an earlier run. `was` is what the replay table had for it.
  /// `groupHash` is the clientDataHash of its group, or empty if that is not known.
  func revise(
    _ event: JudgedEvent, _ was: ReplayNote, groupHash: [UInt8]
  ) throws(AuditError) {
    let row = event.row
    let isKept = !event.isRemembered
    let said = row.rest.was
    if isKept { try rememberAgain(row, said) }
    // Of other hashes than those of 32 bytes only the digest is remembered.
    let hash = row.hashLength == 32 ? row.groupHash.bytes : groupHash
    guard hash.count == Int(row.hashLength) else { return }
    var subject = Finding(remembered: row, clientDataHash: hash)
    let standing = isKept ? CodeSet() : try withdrawals.standing(row.foundByKey, subject)
    let (before, now) = codes(of: event, was, standing)
    guard !(before.isEmpty && now.isEmpty) || (isKept && said == nil) else { return }
    if isKept { try output.complete(&subject, from: row) }
    if isKept, said == nil { return try move(event, subject, now) }
    for code in now.intersection(before).codes {
      let isAwaited = awaitsChallenges && code == .challengeNotIssued
      let isMoreSevere = event.grading(code) != event.grading(code, by: was)
      if isMoreSevere || isAwaited { try report(code, event, subject) }
      withdrawals.stands(subject.fingerprint(code))
    }
    for code in before.subtracting(now).codes {
      withdrawals.withdraw(code, of: row.keyID, subject)
    }
    for code in now.subtracting(before).codes { try report(code, event, subject) }
  }

  /// Returns what was found of an event before, and what is found of it now. `standing` is what its key's judges found, if
  /// they do not have it any more.
  private func codes(
    of event: JudgedEvent, _ was: ReplayNote, _ standing: CodeSet
  ) -> (before: CodeSet, now: CodeSet) {
    let row = event.row
    let note = event.note
    let challenge = challenges[row.position]
    var (before, now) = (standing, standing)
    if note.isAttestedBefore { now = now.subtracting(CodeSet([.keyReattested])) }
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
    if !note.isExactReplay { now = now.union(row.tentativeCodes) }
    if row.flags.contains(.mayBeReattested), !note.isAttestedBefore { now.insert(.keyReattested) }
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

  /// Reports what is found of an event whose device had no key before. The findings about the
  /// device become findings about its key.
  private func move(
    _ event: JudgedEvent, _ subject: Finding, _ now: CodeSet
  ) throws(AuditError) {
    var ofDevice = subject
    ofDevice.keyID = nil
    for code in CodeSet.settledByHash.codes {
      withdrawals.withdraw(code, of: event.row.keyID, ofDevice)
    }
    for code in CodeSet.settledByHash.subtracting(now).codes {
      withdrawals.withdraw(code, of: event.row.keyID, subject)
    }
    for code in now.codes { try report(code, event, subject) }
  }

  /// Leaves an event to later runs once more where its key's judges say something else of it.
  private func rememberAgain(_ row: HashRow, _ was: HashRow.Was?) throws(AuditError) {
    let now = HashRow.Was(
      codes: row.codes, tentative: row.tentativeCodes, flags: row.flags.subtracting(.kept))
    guard now != was else { return }
    try memory?.remember(event: row, blame: rejections.blame(row))
  }

  private func report(
    _ code: FindingCode, _ event: JudgedEvent, _ subject: Finding
  ) throws(AuditError) {
    let counter = event.row.counterFindings.first { $0.code == code }
    try output.report(
      code, event, subject, sentences.graded(counter?.detail ?? detail(code, event), code, event))
  }

  /// Returns the detail of a finding about an event, and the event that it names.
  private func detail(_ code: FindingCode, _ event: JudgedEvent) -> FindingDetail {
    switch code {
    case .challengeNotIssued, .challengeExpired:
      challengeRule.detail(challenges[event.row.position]?.issue, at: event.row.time)
    case .keyReattested: sentences.reattested(event.row)
    case .decisionRejectedValid: RejectionRule.detail
    case _ where CodeSet.counters.contains(code):
      FindingDetail("An earlier run reported the counter \(event.row.counter).")
    default:
      event.note.finding.map {
        sentences.detail($0, at: event.row.time, of: event.row.knownKeyID)
      } ?? FindingDetail("")
    }
  }
}
