internal import AppAttest
internal import AuditLog
internal import Glibc
internal import OpenSSL
internal import RowShuffle
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
  /// What is and was wrong with the challenges of events of earlier runs in the group at hand.
  private var challenges: [Position: ChallengeChange] = [:]
  /// The clientDataHash of the group at hand, where it is known as it is.
  private var groupHash: [UInt8] = []
  private let withdrawals: Withdrawals
  private let sentences: ReplaySentences
  private let group: ReplayGroup
  private let run: Cancellation
  private let progress: AuditProgress
  /// Nil where the run stands alone.
  let memory: ReplayMemory?
  /// When and where the current hash was handed out as a challenge; times as in the rows' keys.
  let issued: IssuedChallenges

  init(
    detection: DetectionPolicy, apps: ConfiguredApps, shuffles: Shuffles,
    findings: FindingSink, verdicts: VerdictSink, history: RunMemory? = nil,
    withdrawals: Withdrawals = Withdrawals(nil), places: EventPlaces = EventPlaces(),
    run: Cancellation, progress: AuditProgress
  ) {
    sentences = ReplaySentences(places: places)
    self.withdrawals = withdrawals
    self.detection = detection
    self.apps = apps
    self.shuffles = shuffles
    self.findings = findings
    self.verdicts = verdicts
    self.run = run
    self.progress = progress
    keys = shuffles.keys.writer(0)
    row = RowBuilder(texts: shuffles.texts)
    memory = history.map { ReplayMemory($0, detection, shuffles) }
    issued = IssuedChallenges(shuffles)
    group = ReplayGroup(policy: detection, shuffles: shuffles)
  }

  /// What is and was wrong with an event's challenge.
  private struct ChallengeChange {
    var was: FindingCode?
    var now: FindingCode?
    var issue: IssuedChallenges.Issue?
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
    try compareChallenges(before: event.keyTime)
    guard event.rowClass == .event else {
      issued.take(IssuedChallenges.Issue(time: event.keyTime, position: event.position))
      try memory?.remember(challenge: event)
      return
    }
    if groupHash.isEmpty, memory != nil { groupHash = unsafe Array(event.rest.clientDataHash) }
    var codes = event.codes
    let challenge = try issued.last(until: event.time)
    guard !event.flags.contains(.kept) else {
      try compare(challenge, of: event.position, at: event.time)
      return unsafe try group.add(bytes, codes)
    }
    try checkChallenge(event, &codes, challenge)
    guard !event.flags.contains(.lookedAt) else { return unsafe try group.add(bytes, codes) }
    // Not as a replay's original, but for the challenge, which may come late.
    let mayChange = challenge == nil || codes.contains(.challengeExpired)
    try settle(
      ReplayEvent(row: event, codes: codes), nil,
      isRemembered: mayChange && memory?.checksChallenges == true)
  }

  private func endGroup() throws(AuditError) {
    try compareChallenges(before: .max)
    issued.removeAll()
    try group.settle { (event, was) throws(AuditError) in
      if event.isRemembered || event.row.flags.contains(.kept) {
        try revise(event, was)
      } else {
        try settle(event, event.note.finding)
      }
    }
    // The findings of events that nobody looked at may stand.
    if memory?.passesOver == true { withdrawals.withdrawNothing() }
    try withdrawals.settle()
    if !challenges.isEmpty { challenges.removeAll(keepingCapacity: true) }
    if !groupHash.isEmpty { groupHash = [] }
  }

  // MARK: Challenges

  /// Looks again at the challenges of events of earlier runs before `time`.
  private func compareChallenges(before time: Int64) throws(AuditError) {
    while let event = memory?.next(before: time) {
      try compare(issued.last(until: event.time), of: event.position, at: event.time)
    }
  }

  /// Takes note of what is and was wrong with the challenge of an event of an earlier run.
  private func compare(
    _ issue: IssuedChallenges.Issue?, of position: Position, at time: Int64
  ) throws(AuditError) {
    let was = verdict(on: issued.latestEarlier, at: time)
    let now = verdict(on: issue, at: time)
    guard was != nil || now != nil else { return }
    challenges[position] = ChallengeChange(was: was, now: now, issue: issue)
    if was != now { group.revise() }
  }

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
    _ event: ReplayEvent, _ finding: ReplayFinding?,
    isRemembered: Bool = true
  ) throws(AuditError) {
    let row = event.row
    var codes = event.codes
    if let finding {
      try find(
        finding.code, row, &codes, related: finding.related,
        sentences.sentence(finding, at: row.time))
    }
    for counter in counterFindings(row) where event.note.same == nil {
      try find(
        counter.code, row, &codes, expected: counter.expected, related: counter.related,
        counter.detail)
    }
    if row.flags.contains(.mayBeReattested), !event.note.isAttestedBefore {
      let first = row.rest.firstAttestation
      try find(
        .keyReattested, row, &codes, related: first,
        sentences.reattested(first, at: row.rest.firstAttestedAt))
    }
    if isRemembered, let memory {
      try memory.remember(event: row, blame: blame(row, row.codes, tentativeCodes(row)))
    }
    if row.decision == .rejected, isHarmless(row.flags, codes) {
      try find(.decisionRejectedValid, row, &codes, Self.rejectedValid)
    }
    try writeVerdict(row, codes)
    try addToKey(row, codes.subtracting(row.codes))
  }

  /// A finding about a counter.
  private struct CounterFinding {
    var code: FindingCode
    var expected: UInt32
    var related: Position?
    var detail: String
  }

  /// What stands of an event's counters unless it is an exact replay.
  private func counterFindings(_ row: HashRow) -> [CounterFinding] {
    guard row.hasTentative || row.hasServerMismatch else { return [] }
    let rest = row.rest
    var findings: [CounterFinding] = []
    if let tentative = rest.tentative {
      findings.append(
        CounterFinding(
          code: tentative.code, expected: tentative.expected, related: tentative.related,
          detail: tentative.sentence(row.counter)))
    }
    if let mismatch = rest.serverMismatch {
      findings.append(
        CounterFinding(
          code: .counterServerMismatch, expected: mismatch.expected, detail: mismatch.sentence))
    }
    return findings
  }

  private func tentativeCodes(_ row: HashRow) -> CodeSet {
    CodeSet(counterFindings(row).map(\.code))
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
    if !tentative.subtracting(findings.harmless).isEmpty { blame.insert(.disputed) }
    return blame
  }

  // MARK: Events of earlier runs

  /// Compares what is found of an event of an earlier run with what was found of it before: what is new
  /// is reported, and what stands no more is withdrawn. `was` is what the replay table had for it.
  private func revise(_ event: ReplayEvent, _ was: ReplayNote?) throws(AuditError) {
    let row = event.row
    let note = event.note
    let challenge = challenges[row.position]
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
    let hash = row.hashLength == 32 ? row.groupHash.bytes : groupHash
    guard hash.count == Int(row.hashLength) else { return }
    var subject = FindingSubject(remembered: row, clientDataHash: hash)
    if isKept {
      subject.appID = try appID(row, rest)
      subject.requestID = try rest.requestID.string(shuffles.texts)
      subject.subject = try rest.subject.string(shuffles.texts)
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
    for code in CodeSet.settledByHash.codes {
      withdrawals.withdraw(code, of: event.row.keyID, ofDevice)
    }
    for code in CodeSet.settledByHash.subtracting(now).codes {
      withdrawals.withdraw(code, of: event.row.keyID, subject)
    }
    for code in now.codes { try report(code, event, subject, issue) }
  }

  /// Leaves an event to later runs once more where its key's judges say something else of it.
  private func rememberAgain(_ row: HashRow, _ was: HashRow.Was?) throws(AuditError) {
    let tentative = tentativeCodes(row)
    let now = HashRow.Was(
      codes: row.codes, tentative: tentative, flags: row.flags.subtracting(.kept))
    guard now != was else { return }
    try memory?.remember(event: row, blame: blame(row, row.codes, tentative))
  }

  /// Reports what is found only now of an event of an earlier run, unless it stands already.
  private func report(
    _ code: FindingCode, _ event: ReplayEvent, _ subject: FindingSubject,
    _ issue: IssuedChallenges.Issue?
  ) throws(AuditError) {
    let row = event.row
    let fingerprint = subject.fingerprint(code)
    withdrawals.stands(fingerprint)
    let severity = findings.severity(code, row.decision)
    guard try withdrawals.isNews(fingerprint, severity) else { return }
    if let counter = counterFindings(row).first(where: { $0.code == code }) {
      try findings.emit(
        code, subject, expected: counter.expected, related: counter.related, detail: counter.detail)
    } else {
      let (related, detail) = explain(code, event, issue)
      try findings.emit(code, subject, related: related, detail: detail)
    }
    guard subject.keyID != nil else { return }
    KeyRow.writeAddition(
      keyID: row.keyID, at: subject.position, findings: 1, worst: severity, self.row)
    unsafe try keys.append(self.row.row)
  }

  /// The event that a finding names, and its sentence.
  private func explain(
    _ code: FindingCode, _ event: ReplayEvent, _ issue: IssuedChallenges.Issue?
  ) -> (Position?, String) {
    switch code {
    case .challengeNotIssued, .challengeExpired:
      (issue?.position, sentence(issue, at: event.row.time))
    case .keyReattested:
      (
        event.row.rest.firstAttestation,
        sentences.reattested(
          event.row.rest.firstAttestation, at: event.row.rest.firstAttestedAt)
      )
    case .decisionRejectedValid: (nil, Self.rejectedValid)
    default:
      (
        event.note.finding?.related,
        event.note.finding.map { sentences.sentence($0, at: event.row.time) } ?? ""
      )
    }
  }

  static let rejectedValid =
    "The server rejected the request, although nothing is wrong with it."

  /// Whether nothing speaks against a record that the server rejected. What counts all assertions
  /// of a key speaks against each of them.
  private func isHarmless(_ flags: HashRow.Flags, _ codes: CodeSet) -> Bool {
    var codes = codes
    if flags.contains(.unverifiable) {
      codes.insert(flags.contains(.untrusted) ? .keyUntrusted : .keyUnknown)
    }
    return codes.subtracting(findings.harmless).isEmpty
  }

  /// Passes on to `keys.csv` what was found here.
  private func addToKey(_ event: HashRow, _ added: CodeSet) throws(AuditError) {
    guard !event.flags.contains(.ofDevice), !added.isEmpty else { return }
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
    let rest = event.rest
    let subject = FindingSubject(
      time: event.time, kind: event.kind, keyID: event.knownKeyID,
      appID: try appID(event, rest),
      clientDataHash: unsafe Array(rest.clientDataHash), counter: event.counter,
      position: event.position, requestID: try rest.requestID.string(shuffles.texts),
      decision: event.decision, subject: try rest.subject.string(shuffles.texts))
    if memory != nil { withdrawals.stands(subject.fingerprint(code)) }
    try findings.emit(code, subject, expected: expected, related: related, detail: detail)
  }

  /// The App ID that the record has, or else the configured one that its rpIdHash names.
  private func appID(_ row: HashRow, _ rest: HashRow.Rest) throws(AuditError) -> String {
    row.app == EventRow.noApp
      ? try rest.appID.string(shuffles.texts) : apps.apps[Int(row.app)].id
  }
}
