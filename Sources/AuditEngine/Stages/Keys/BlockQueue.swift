internal import Basics
internal import Synchronization

/// The sizes into which blocks of signatures are cut.
struct BlockPlan: Sendable, Equatable {
  /// Bytes of rows in a block.
  var capacity: Int
  /// Rows in a block.
  var rowLimit: Int
  /// Blocks that wait for a worker, are judged, or wait to be reduced.
  var inFlight: Int

  /// Returns an empty block.
  func makeBlock() -> SignatureBlock {
    SignatureBlock(capacity: capacity, rowLimit: rowLimit)
  }
}

/// The blocks that reducers share: each has one of its own, and takes others as long as there are any.
final class SpareBlocks: Sendable {
  let plan: BlockPlan
  private let content: Mutex<Content>

  private struct Content {
    var free: [SignatureBlock] = []
    /// The number of blocks that may yet be made.
    var left: Int
  }

  init(_ plan: BlockPlan, reducers: Int) {
    self.plan = plan
    content = Mutex(Content(left: max(plan.inFlight + 1 - reducers, 0)))
  }

  /// Returns an empty block, or nil if all are in use.
  func take() -> SignatureBlock? {
    content.withLock { content in
      if let block = content.free.popLast() { return block }
      guard content.left > 0 else { return nil }
      content.left -= 1
      return plan.makeBlock()
    }
  }

  /// Takes an empty block back.
  func giveBack(_ block: SignatureBlock) {
    content.withLock { $0.free.append(block) }
  }
}

/// The blocks in flight of one reducer, in order.
struct BlockQueue {
  private let shared: KeyAudit.Shared
  private let run: Cancellation<AuditError>
  private let clock: StageClock
  private var blocks: [SignatureBlock] = []
  private var first = 0
  /// The number of shared blocks that it has.
  private var borrowed = 0

  init(_ shared: KeyAudit.Shared, run: Cancellation<AuditError>, clock: StageClock) {
    self.shared = shared
    self.run = run
    self.clock = clock
  }

  /// Returns the block that is the reducer's own.
  func makeBlock() -> SignatureBlock { shared.blocks.plan.makeBlock() }

  /// Hands a block to the workers.
  mutating func submit(_ block: SignatureBlock) {
    blocks.append(block)
    shared.pool.submit { [clock, run, settled = shared.settled] judge in
      let start = StageClock.now
      block.judge(judge, run, settled)
      clock.verifying.add(since: start)
    }
  }

  /// Returns the oldest block in flight.
  private mutating func popFirst() -> SignatureBlock? {
    guard first < blocks.count else { return nil }
    defer {
      first += 1
      if first == blocks.count {
        blocks.removeAll(keepingCapacity: true)
        first = 0
      }
    }
    return blocks[first]
  }

  /// Hands a full block to the workers and gives an empty one back: where all are in use, the oldest in
  /// flight, once it is reduced.
  mutating func exchange(
    _ block: SignatureBlock, reduce: (SignatureBlock) throws(AuditError) -> Void
  ) throws(AuditError) -> SignatureBlock {
    submit(block)
    if let spare = shared.blocks.take() {
      borrowed += 1
      return spare
    }
    if first > blocks.count / 2 {
      blocks.removeFirst(first)
      first = 0
    }
    guard let oldest = popFirst() else { return makeBlock() }
    try reduce(oldest)
    oldest.removeAll()
    return oldest
  }

  /// Hands the last block to the workers, and reduces all in flight; what was borrowed is given back.
  mutating func finish(
    _ block: SignatureBlock, reduce: (SignatureBlock) throws(AuditError) -> Void
  ) throws(AuditError) {
    submit(block)
    while let oldest = popFirst() {
      try reduce(oldest)
      guard borrowed > 0 else { continue }
      borrowed -= 1
      oldest.removeAll()
      shared.blocks.giveBack(oldest)
    }
  }
}
