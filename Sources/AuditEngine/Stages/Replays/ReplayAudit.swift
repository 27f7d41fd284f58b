internal import AppAttest
internal import Glibc
internal import RowShuffle
internal import Synchronization

/// The reduce by clientDataHash: challenges, replays, and what the key audit had to leave open
/// until an exact replay can be told from a repeated counter. Reads the groups; ``ReplayJudge`` judges,
/// and ``ReplayWriter`` writes. In a run with a state each group has its kept events too.
final class ReplayAudit {
  private let shuffles: Shuffles
  /// What is and was wrong with the challenges of kept events in the group at hand.
  private var challenges: [Position: ReplayJudge.ChallengeChange] = [:]
  /// The clientDataHash of the group at hand, where it is known as it is.
  private var groupHash: [UInt8] = []
  private let withdrawals: Withdrawals
  private let group: ReplayGroup
  private let run: Cancellation
  private let progress: AuditProgress
  private let rule: ChallengeRule
  private let judge: ReplayJudge
  /// Nil where the run stands alone.
  private let memory: ReplayMemory?
  /// When and where the current hash was handed out as a challenge; times as in the rows' keys.
  private let issued: IssuedChallenges

  init(
    detection: DetectionPolicy, apps: ConfiguredApps, shuffles: Shuffles,
    findings: FindingSink, verdicts: VerdictSink, history: RunMemory? = nil,
    withdrawals: Withdrawals = Withdrawals(nil), run: Cancellation, progress: AuditProgress
  ) {
    self.withdrawals = withdrawals
    self.shuffles = shuffles
    self.run = run
    self.progress = progress
    memory = history.map { ReplayMemory($0, detection, shuffles) }
    rule = ChallengeRule(detection: detection)
    judge = ReplayJudge(
      rule,
      ReplayWriter(
        findings, verdicts, apps: apps, shuffles: shuffles,
        withdrawals: history == nil ? nil : withdrawals),
      withdrawals, memory: memory)
    issued = IssuedChallenges(shuffles)
    group = ReplayGroup(policy: detection, shuffles: shuffles)
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
    try judge.checkChallenge(event, &codes, nil)
    try judge.settle(ReplayEvent(row: event, codes: codes), nil)
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
    try judge.checkChallenge(event, &codes, challenge)
    guard !event.flags.contains(.lookedAt) else { return unsafe try group.add(bytes, codes) }
    // Not as a replay's original, but for the challenge, which may come late.
    let mayChange = challenge == nil || codes.contains(.challengeExpired)
    try judge.settle(
      ReplayEvent(row: event, codes: codes), nil,
      isRemembered: mayChange && memory?.checksChallenges == true)
  }

  private func endGroup() throws(AuditError) {
    try compareChallenges(before: .max)
    issued.removeAll()
    try group.settle { (event, was) throws(AuditError) in
      if event.isRemembered || event.row.flags.contains(.kept) {
        let place = ReplayJudge.Place(
          challenge: challenges[event.row.position], groupHash: groupHash)
        try judge.revise(event, was, place)
      } else {
        try judge.settle(event, event.note.finding)
      }
    }
    // The findings of events that nobody looked at may stand.
    if memory?.passesOver == true { withdrawals.withdrawNothing() }
    try withdrawals.settle()
    if !challenges.isEmpty { challenges.removeAll(keepingCapacity: true) }
    groupHash = []
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
    let was = rule.verdict(on: issued.latestEarlier, at: time)
    let now = rule.verdict(on: issue, at: time)
    guard was != nil || now != nil else { return }
    challenges[position] = ReplayJudge.ChallengeChange(
      was: was, now: now, issue: issue)
    if was != now { group.revise() }
  }
}
