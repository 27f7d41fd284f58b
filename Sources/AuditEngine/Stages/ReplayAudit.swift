internal import AppAttest
internal import Glibc
internal import OpenSSL
internal import Synchronization

/// The reduce by clientDataHash: challenges, replays, and what the key audit had to leave open
/// until an exact replay can be told from a repeated counter. Where earlier runs are remembered,
/// each hash is looked at together with what they saw of it.
final class ReplayAudit {
  private let detection: DetectionPolicy
  private let apps: ConfiguredApps
  private let shuffles: Shuffles
  let findings: FindingSink
  private let verdicts: VerdictSink
  let keys: RowWriter
  let row: RowBuilder
  /// The first source with an event that waited and is looked at no more, so that those that came with
  /// it or later may move to the front.
  private(set) var leftFrom: UInt32?
  private let group: ReplayGroup
  private let run: RunState
  private let progress: AuditProgress
  /// Nil where the run stands alone.
  let memory: ReplayMemory?
  /// When and where the current hash was handed out as a challenge; times as in the rows' keys.
  let issued: IssuedChallenges

  init(
    detection: DetectionPolicy, apps: ConfiguredApps, shuffles: Shuffles,
    findings: FindingSink, verdicts: VerdictSink, history: RunHistory? = nil,
    closed: ClosedFindings? = nil, run: RunState, progress: AuditProgress
  ) {
    self.detection = detection
    self.apps = apps
    self.shuffles = shuffles
    self.findings = findings
    self.verdicts = verdicts
    self.run = run
    self.progress = progress
    keys = shuffles.keys.writer(0)
    row = RowBuilder(texts: shuffles.texts)
    memory = history.map {
      ReplayMemory(
        $0, detection, shuffles, EarlierFindings($0, closed ?? ClosedFindings($0), findings))
    }
    issued = IssuedChallenges(shuffles)
    group = ReplayGroup(policy: detection, shuffles: shuffles, remembers: history != nil)
  }

  /// Judges every hash.
  func reduce() throws(AuditError) {
    let start = StageClock.now
    defer { progress.clock.replaying.add(since: start) }
    let rows = try shuffles.byHash.merged(with: shuffles.challenges)
    var current = [UInt8](repeating: 0, count: HashRow.groupLength)
    var count = 0
    while let bytes = unsafe try rows.next() {
      let isSame = unsafe current.withUnsafeBytes {
        unsafe memcmp(
          bytes.baseAddress.unsafelyUnwrapped, $0.baseAddress.unsafelyUnwrapped,
          HashRow.groupLength) == 0
      }
      if count == 0 || !isSame {
        if count > 0 { try endGroup() }
        let key = unsafe UnsafeRawBufferPointer(rebasing: bytes.prefix(HashRow.groupLength))
        unsafe current.replaceSubrange(0..., with: key)
        unsafe try memory?.recall(key, group, issued)
      }
      try unsafe take(bytes)
      count += 1
      if count & 0xFFF == 0 {
        try run.check()
        progress.rowsDone.add(0x1000, ordering: .relaxed)
      }
    }
    if count > 0 { try endGroup() }
  }

  /// Judges an event whose hash stands in no other record, no challenge included, and which need not
  /// be shuffled: a row as the shuffle would have it. Not where earlier runs are remembered.
  func take(alone bytes: UnsafeRawBufferPointer) throws(AuditError) {
    let event = unsafe HashRow(bytes)
    var codes = event.codes
    try checkChallenge(event, &codes, nil)
    try settle(ReplayEvent(row: event, codes: codes), nil)
  }

  private func take(_ bytes: UnsafeRawBufferPointer) throws(AuditError) {
    let event = unsafe HashRow(bytes)
    try reviseChallenges(before: event.keyTime)
    guard event.rowClass == .event else {
      issued.take(IssuedChallenges.Issue(time: event.keyTime, position: event.position))
      try memory?.remember(challenge: event)
      return
    }
    var codes = event.codes
    let challenge = try issued.last(until: event.time)
    try checkChallenge(event, &codes, challenge)
    let waited = event.flags.contains(.waited)
    if waited { memory?.judges(event) }
    let isLookedAt = event.flags.contains(.lookedAt)
    if isLookedAt || waited { unsafe try group.add(bytes, codes) }
    if waited, !isLookedAt {
      leftFrom = min(leftFrom ?? event.position.source, event.position.source)
    }
    guard !isLookedAt else { return }
    // What waited was remembered, and is looked at no more; otherwise not as a replay's original, but
    // for the challenge, which may come late.
    let mayChange = challenge == nil || codes.contains(.challengeExpired)
    try settle(
      ReplayEvent(row: event, codes: codes), nil,
      isRemembered: waited || (mayChange && memory?.checksChallenges == true))
  }

  private func endGroup() throws(AuditError) {
    try reviseChallenges(before: .max)
    issued.removeAll()
    try group.settle { (event, finding) throws(AuditError) in
      try event.isRemembered
        ? reviseReplay(event.row, finding) : settle(event, finding)
    }
    try memory?.endGroup()
    leftFrom = nil
  }

  // MARK: Challenges

  /// `challenge.not_issued` and `challenge.expired`.
  private func checkChallenge(
    _ event: HashRow, _ codes: inout CodeSet, _ challenge: IssuedChallenges.Issue?
  ) throws(AuditError) {
    guard let code = verdict(on: challenge, at: event.time) else { return }
    try find(
      code, event, &codes, related: challenge?.position, sentence(challenge, at: event.time))
  }

  /// What is wrong with the last challenge that an event may use.
  func verdict(on challenge: IssuedChallenges.Issue?, at time: Int64) -> FindingCode? {
    guard let challenge else { return detection.challengesRequired ? .challengeNotIssued : nil }
    guard let limit = detection.challengeLimit, age(challenge, at: time) > limit else { return nil }
    return .challengeExpired
  }

  private func age(_ challenge: IssuedChallenges.Issue, at time: Int64) -> Int64 {
    time - (challenge.time + detection.reorderTolerance)
  }

  func sentence(_ challenge: IssuedChallenges.Issue?, at time: Int64) -> String {
    guard let challenge else {
      return "No challenge with this hash was handed out before the event, "
        + "\(UTCText.text(milliseconds: time)), or within "
        + "\(DetailText.duration(detection.reorderTolerance.magnitude)) after it."
    }
    let issuedAt = challenge.time + detection.reorderTolerance
    let limit = detection.challengeTTL.map { DetailText.duration($0.magnitude) } ?? "any time"
    return "The challenge was used \(age(challenge, at: time)) ms after it was last handed out, at "
      + "\(UTCText.text(milliseconds: issuedAt)): more than the \(limit) allowed."
  }

  // MARK: One event

  /// Judges an event of this run; `isRemembered`: and leaves it to later ones.
  private func settle(
    _ event: ReplayEvent, _ finding: (code: FindingCode, related: Position)?,
    isRemembered: Bool = true
  ) throws(AuditError) {
    let row = event.row
    var codes = event.codes
    if let finding {
      try find(
        finding.code, row, &codes, related: finding.related, Self.sentence(finding.code))
    }
    if row.hasTentative, let tentative = row.rest.tentative, event.note.same == nil {
      try find(
        tentative.code, row, &codes, expected: tentative.expected, related: tentative.related,
        tentative.sentence(row.counter))
    }
    if row.hasServerMismatch, let mismatch = row.rest.serverMismatch, event.note.same == nil {
      try find(
        .counterServerMismatch, row, &codes, expected: mismatch.expected, mismatch.sentence)
    }
    if row.flags.contains(.mayBeReattested), !event.note.isAttestedBefore {
      try find(
        .keyReattested, row, &codes, related: row.rest.firstAttestation,
        "The key was attested again, for another clientDataHash.")
    }
    if isRemembered, let memory {
      let others = codes.subtracting(CodeSet([.challengeNotIssued, .challengeExpired]))
      try memory.remember(
        event: row, isBlameless: row.decision == .rejected && isHarmless(row, others))
    }
    if row.decision == .rejected, isHarmless(row, codes) {
      try find(.decisionRejectedValid, row, &codes, Self.rejectedValid)
    }
    if row.flags.contains(.waited) {
      close(waited: row, found: codes)
    } else {
      try writeVerdict(row, codes)
    }
    try addToKey(row, codes.subtracting(row.codes))
  }

  static let rejectedValid =
    "The server rejected the request, although nothing is wrong with it."

  /// Whether nothing speaks against a record that the server rejected. What counts all assertions
  /// of a key speaks against each of them.
  private func isHarmless(_ event: HashRow, _ codes: CodeSet) -> Bool {
    var codes = codes
    if event.flags.contains(.unverifiable) {
      codes.insert(event.flags.contains(.untrusted) ? .keyUntrusted : .keyUnknown)
    }
    return codes.subtracting(findings.harmless).isEmpty
  }

  /// Passes on to `keys.csv` what was found here.
  private func addToKey(_ event: HashRow, _ added: CodeSet) throws(AuditError) {
    guard !event.flags.contains(.ofDevice) else { return }
    var added = added
    if event.flags.contains(.waited) {
      for code in added.codes where try wasReported(code, event) {
        added = added.subtracting(CodeSet([code]))
      }
    }
    guard !added.isEmpty else { return }
    let worst = added.codes.map { findings.severity($0, event.decision) }.max()
    KeyRow.writeAddition(
      keyID: event.keyID, at: event.position, findings: UInt32(added.bits.nonzeroBitCount),
      worst: worst ?? .info, row)
    unsafe try keys.append(row.row)
  }

  private func writeVerdict(_ row: HashRow, _ codes: CodeSet) throws(AuditError) {
    let verdict = findings.verdict(
      codes, row.decision, isUnverifiable: row.flags.contains(.unverifiable))
    verdicts.count(verdict)
    guard verdicts.isWriting else { return }
    let rest = row.rest
    try verdicts.writeRow(
      VerdictRow(
        time: row.time, kind: row.kind, keyID: row.knownKeyID,
        appID: try appID(row, rest),
        clientDataHash: unsafe Array(rest.clientDataHash), counter: row.counter,
        position: row.position, verdict: verdict, codes: codes.codes, decision: row.decision,
        subject: try rest.subject.string(shuffles.texts),
        requestID: try rest.requestID.string(shuffles.texts)))
  }

  private func find(
    _ code: FindingCode, _ event: HashRow, _ codes: inout CodeSet, expected: UInt32? = nil,
    related: Position? = nil, _ detail: String
  ) throws(AuditError) {
    codes.insert(code)
    if let memory, memory.isRevised { memory.earlier.stands(event.fingerprint(code)) }
    if event.flags.contains(.waited), try wasReported(code, event) { return }
    let rest = event.rest
    let subject = FindingSubject(
      time: event.time, kind: event.kind, keyID: event.knownKeyID,
      appID: try appID(event, rest),
      clientDataHash: unsafe Array(rest.clientDataHash), counter: event.counter,
      position: event.position, requestID: try rest.requestID.string(shuffles.texts),
      decision: event.decision, subject: try rest.subject.string(shuffles.texts))
    try findings.emit(code, subject, expected: expected, related: related, detail: detail)
  }

  /// Whether an earlier run reported the finding, while the event waited for its key.
  private func wasReported(_ code: FindingCode, _ event: HashRow) throws(AuditError) -> Bool {
    try memory?.earlier.isOpen(event.fingerprint(code)) ?? false
  }

  /// The App ID that the record has, or else the configured one that its rpIdHash names.
  private func appID(_ row: HashRow, _ rest: HashRow.Rest) throws(AuditError) -> String {
    row.app == EventRow.noApp
      ? try rest.appID.string(shuffles.texts) : apps.apps[Int(row.app)].id
  }

  static func sentence(_ code: FindingCode) -> String {
    switch code {
    case .recordDuplicate: "The same request was logged twice."
    case .replayRetry: "The same request came again, as a retry does."
    case .replayAssertion: "The same assertion was used before."
    case .replayAttestation: "The same attestation was used before."
    case .replayCrossKey: "The clientDataHash was used before under another key."
    default: "The clientDataHash was used before under this key, with another signature."
    }
  }
}
