internal import Basics
internal import Synchronization

/// The sizes into which blocks of signatures are cut.
struct BlockPlan: Sendable, Equatable {
  var capacity: Int
  var rowLimit: Int
  /// Blocks that wait for a worker, are judged, or wait to be reduced.
  var inFlight: Int

  func makeBlock() -> SignatureBlock {
    SignatureBlock(capacity: capacity, rowLimit: rowLimit)
  }
}

/// The blocks that reducers share: each has one of its own, and takes others as long as there are any.
final class SpareBlocks: Sendable {
  let plan: BlockPlan
  /// The blocks that are free, and the number that may yet be made.
  private let content: Mutex<(free: [SignatureBlock], left: Int)>

  init(_ plan: BlockPlan, reducers: Int) {
    self.plan = plan
    content = Mutex((free: [], left: max(plan.inFlight + 1 - reducers, 0)))
  }

  func take() -> SignatureBlock? {
    content.withLock { content in
      if let block = content.free.popLast() { return block }
      guard content.left > 0 else { return nil }
      content.left -= 1
      return plan.makeBlock()
    }
  }

  func giveBack(_ block: SignatureBlock) {
    content.withLock { $0.free.append(block) }
  }
}

/// The blocks in flight of one reducer, in order.
struct BlockQueue {
  let spare: SpareBlocks
  let leader: Crew<SignatureJudge>.Leader
  let run: Cancellation<AuditError>
  let clock: StageClock
  private var blocks: [SignatureBlock] = []
  private var borrowed = 0
  /// The processor time that verifying has taken on this thread.
  private(set) var verifying = 0

  init(
    _ spare: SpareBlocks, _ leader: Crew<SignatureJudge>.Leader,
    run: Cancellation<AuditError>, clock: StageClock
  ) {
    self.spare = spare
    self.leader = leader
    self.run = run
    self.clock = clock
  }

  private mutating func submit(_ block: SignatureBlock) {
    blocks.append(block)
    let start = StageClock.now
    leader.submit { [clock, run] judge in
      let start = StageClock.now
      block.judge(judge, run)
      clock.verifying.add(since: start)
    }
    verifying += StageClock.now - start
  }

  /// Hands a full block to the workers and gives an empty one back, or the oldest, once reduced.
  mutating func exchange(
    _ block: SignatureBlock, reduce: (SignatureBlock) throws(AuditError) -> Void
  ) throws(AuditError) -> SignatureBlock {
    submit(block)
    if let block = spare.take() {
      borrowed += 1
      return block
    }
    let oldest = blocks.removeFirst()
    try reduce(oldest)
    oldest.removeAll()
    return oldest
  }

  /// Hands the last block to the workers, and reduces all in flight; what was borrowed is given back.
  mutating func finish(
    _ block: SignatureBlock, reduce: (SignatureBlock) throws(AuditError) -> Void
  ) throws(AuditError) {
    submit(block)
    for oldest in blocks {
      try reduce(oldest)
      guard borrowed > 0 else { continue }
      borrowed -= 1
      oldest.removeAll()
      spare.giveBack(oldest)
    }
    blocks = []
  }
}
