internal import AppAttest
internal import AuditLog
internal import Basics
internal import Glibc
internal import RowShuffle
internal import Synchronization

/// The reduce by clientDataHash: challenges, replays, and what the key audit left open until an exact
/// replay can be told from a repeated counter. Each hash comes with what earlier runs saw of it.
final class ReplayAudit {
  let context: ReduceContext
  let challengeRule: ChallengeRule
  let rejections: RejectionRule
  let output: ReplayOutput
  let group: ReplayGroup
  let memory: ReplayMemory?
  /// The sources of this run that are another log.
  private let otherLogs: Set<UInt32>
  /// The challenges that can be in the unread rest of an input, or nil if every input was read.
  private let awaited: AwaitedChallenges?
  private(set) var awaitedCount: UInt64 = 0
  /// The issues of the current hash as a challenge; times are as in the rows' keys.
  let issued: IssuedChallenges
  /// The clientDataHash of the group at hand, or empty if it is of 32 bytes, or is not known.
  private(set) var groupHash: [UInt8] = []
  /// The findings about challenges, before and now, of events of the group at hand.
  var challenges: [Position: ChallengeChange] = [:]
  /// Whether an earlier run did not report everything about the group at hand: it awaited challenges, or another log
  /// took part (``RunMemory/unsettled``).
  private(set) var isUnsettled = false

  init(
    _ context: ReduceContext, _ awaited: AwaitedChallenges? = nil, otherLogs: Set<UInt32> = []
  ) {
    self.context = context
    self.otherLogs = otherLogs
    self.awaited = awaited
    let shuffles = context.shuffles
    challengeRule = ChallengeRule(detection: context.detection)
    rejections = RejectionRule(faults: context.findings.policy.faults)
    output = ReplayOutput(context)
    memory = context.history.map {
      ReplayMemory($0, context.detection, shuffles, reducer: context.reducer)
    }
    issued = IssuedChallenges(shuffles)
    var order = context.history?.order ?? SourceOrder()
    order.origins = context.history?.origins ?? [:]
    group = ReplayGroup(policy: context.detection, shuffles: shuffles, order)
  }

  // MARK: The stream

  /// Judges the hashes of every range that no other reducer takes.
  func reduce(_ ranges: RowRanges) throws(AuditError) {
    let progress = context.progress
    let start = StageClock.now
    defer { progress.clock.replaying.add(since: start) }
    let rows = try RangedRows(ranges)
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
        unsafe context.withdrawals.group = Digest256(copying: bytes.baseAddress.unsafelyUnwrapped)
        unsafe try memory?.recall(key, group, issued)
      }
      try unsafe take(bytes)
      count += 1
      if count & 0xFFF == 0 {
        try context.run.check()
        progress.rowsDone.add(0x1000, ordering: .relaxed)
      }
    }
    if count > 0 { try endGroup() }
    try output.finish()
    try output.flushBuilds()
  }

  /// Judges an event whose hash is in no other record of this run or of an earlier one, no challenge included, and
  /// which need not be shuffled: a row as the shuffle would have it.
  func take(alone bytes: UnsafeRawBufferPointer) throws(AuditError) {
    let event = unsafe HashRow(bytes)
    var codes = event.codes
    output.isAlone = true
    defer { output.isAlone = false }
    try checkChallenge(event, &codes, nil)
    try settle(
      JudgedEvent(row: event, codes: codes),
      isRemembered: event.flags.contains(.lookedAt) || memory?.checksChallenges == true)
  }

  private func take(_ bytes: UnsafeRawBufferPointer) throws(AuditError) {
    let event = unsafe HashRow(bytes)
    try compareChallenges(before: event.keyTime)
    // What another log says of a hash withdraws nothing (`pipeline.R15`).
    if otherLogs.contains(event.position.source) { context.withdrawals.withdrawNothing() }
    guard event.rowClass == .event else {
      if event.asksForHash {
        isUnsettled = true
        return group.revise()
      }
      issued.take(IssuedChallenges.Issue(time: event.keyTime, position: event.position))
      try memory?.remember(challenge: event)
      return
    }
    if event.isDisputed { context.withdrawals.withdrawNothing() }
    if event.isUnsettled { isUnsettled = true }
    if event.hashLength != Digest256.byteCount, groupHash.isEmpty, memory != nil {
      groupHash = unsafe Array(event.rest.clientDataHash)
    }
    var codes = event.codes
    let challenge = try issued.last(until: event.time)
    guard !event.flags.contains(.kept) else {
      compare(challenge, of: event.position, at: event.time)
      return unsafe try group.add(bytes, codes)
    }
    try checkChallenge(event, &codes, challenge)
    guard !event.flags.contains(.lookedAt) else { return unsafe try group.add(bytes, codes) }
    // Not as a replay's original, but for the challenge, which may come late, or is another log's.
    let mayChange =
      challenge.map { otherLogs.contains($0.position.source) } ?? true
      || codes.contains(.challengeExpired)
    try settle(
      JudgedEvent(row: event, codes: codes),
      isRemembered: mayChange && memory?.checksChallenges == true)
  }

  private func endGroup() throws(AuditError) {
    try compareChallenges(before: .max)
    issued.removeAll()
    try group.settle { (event, was) throws(AuditError) in
      if event.isRemembered || event.row.flags.contains(.kept) {
        try revise(event, was)
      } else {
        try settle(event)
      }
    }
    // The findings of events that nobody examined may stand.
    if memory?.passesOver == true { context.withdrawals.withdrawNothing() }
    try context.withdrawals.settle()
    isUnsettled = false
    if !challenges.isEmpty { challenges.removeAll(keepingCapacity: true) }
    if !groupHash.isEmpty { groupHash = [] }
  }

  // MARK: Challenges

  /// Looks again at the challenges of events of earlier runs before `time`.
  private func compareChallenges(before time: Int64) throws(AuditError) {
    while let event = memory?.next(before: time) {
      compare(try issued.last(until: event.time), of: event.position, at: event.time)
    }
  }

  /// Finds `challenge.not_issued` and `challenge.expired`.
  private func checkChallenge(
    _ event: HashRow, _ codes: inout CodeSet, _ challenge: IssuedChallenges.Issue?
  ) throws(AuditError) {
    guard let code = challengeRule.verdict(on: challenge, at: event.time) else { return }
    if code == .challengeNotIssued, awaited?.canBring(to: event) == true {
      return codes.insert(code)
    }
    try output.find(
      code, JudgedEvent(row: event, codes: codes), &codes,
      challengeRule.detail(challenge, at: event.time))
  }

  // MARK: Events of this run

  /// Judges an event of this run. If `isRemembered`, it leaves the event to later runs.
  private func settle(
    _ event: JudgedEvent, isRemembered: Bool = true
  ) throws(AuditError) {
    let row = event.row
    var codes = event.codes
    if event.note.finding?.isIdentical == true {
      output.findings.signs.add(.identical, at: row.position)
    }
    for code in event.found.codes {
      try output.find(code, event, &codes, context.places.detail(code, event))
    }
    if isRemembered { try memory?.remember(event: row, blame: rejections.blame(row)) }
    if row.decision == .rejected, rejections.isHarmless(row.flags, codes) {
      let code = FindingCode.decisionRejectedValid
      try output.find(code, event, &codes, context.places.detail(code, event))
    }
    if isUnsettled { try withdraw(unsettled: row, found: codes) }
    let isAwaited = codes.contains(.challengeNotIssued) && awaited?.canBring(to: row) == true
    if isAwaited {
      awaitedCount += 1
      codes = codes.subtracting(CodeSet([.challengeNotIssued]))
    }
    try output.writeVerdict(row, codes, isChecked: !isAwaited)
    try output.addToKey(event, codes.subtracting(row.codes), graded: output.grade(event, row.codes))
  }
}
