internal import AppAttest
internal import Synchronization

/// The reduce by key identifier: merges the events, has their signatures checked by the workers in
/// blocks, and judges them in order.
struct KeyAudit {
  let pool: WorkerPool<SignatureJudge>
  let plan: BlockPlan
  let apps: ConfiguredApps
  /// Sorted by key identifier.
  let knownKeys: [KnownKey]
  let shuffles: Shuffles
  let run: RunState
  let progress: AuditProgress

  /// Judges every event; on return the reducer has seen them all.
  func reduce(into reducer: KeyReducer) throws(AuditError) {
    let start = StageClock.now
    defer { progress.clock.judging.add(since: start) }
    let rows = try shuffles.byKey.merged()
    var queue = BlockQueue(plan: plan, pool: pool, run: run, clock: progress.clock)
    var block = queue.makeBlock()
    var key: KeyContext?
    // Whatever happens, no worker may still hold a block.
    defer { pool.drain() }
    while let bytes = unsafe try rows.next() {
      let row = unsafe EventRow(bytes)
      let context: KeyContext
      if let key, key.owns(row) {
        context = key
      } else {
        context =
          row.section == .device
          ? KeyContext(device: row.keyID)
          : KeyContext(keyID: row.keyID, imported: imported(row.keyID))
        key = context
      }
      guard row.section != .registry else {
        try context.register(row, apps: apps.apps, shuffles.texts)
        continue
      }
      if unsafe block.append(bytes, context) { continue }
      try run.check()
      block = try queue.exchange(
        block,
        reduce: { (full) throws(AuditError) in
          try reduce(full, into: reducer)
        })
      guard unsafe block.append(bytes, context) else {
        throw AuditError(.inconsistent, "a row does not fit into an empty block")
      }
    }
    queue.submit(block)
    while let last = queue.popFirst() { try reduce(last, into: reducer) }
    try reducer.finish()
  }

  private func reduce(_ block: SignatureBlock, into reducer: KeyReducer) throws(AuditError) {
    try block.withEach { (key, events) throws(AuditError) in try reducer.take(events, key) }
    progress.rowsDone.add(block.count, ordering: .relaxed)
  }

  /// The imported key of that identifier.
  private func imported(_ keyID: Digest256) -> KnownKey? {
    var from = 0
    var to = knownKeys.count
    while from < to {
      let middle = (from + to) / 2
      if knownKeys[middle].keyID < keyID { from = middle + 1 } else { to = middle }
    }
    return from < knownKeys.count && knownKeys[from].keyID == keyID ? knownKeys[from] : nil
  }
}

/// How blocks of signatures are cut.
struct BlockPlan: Sendable, Equatable {
  /// Bytes of rows in a block.
  var capacity: Int
  /// Rows in a block.
  var rowLimit: Int
  /// Blocks that wait for a worker, are judged, or wait to be reduced.
  var inFlight: Int
}

/// The blocks in flight, in order.
private struct BlockQueue {
  private let plan: BlockPlan
  private let run: RunState
  private let clock: StageClock
  private let pool: WorkerPool<SignatureJudge>
  private var blocks: [SignatureBlock] = []
  private var free: [SignatureBlock] = []
  private var first = 0

  init(plan: BlockPlan, pool: WorkerPool<SignatureJudge>, run: RunState, clock: StageClock) {
    self.plan = plan
    self.run = run
    self.clock = clock
    self.pool = pool
  }

  func makeBlock() -> SignatureBlock {
    SignatureBlock(capacity: plan.capacity, rowLimit: plan.rowLimit)
  }

  /// Hands a block to the workers.
  mutating func submit(_ block: SignatureBlock) {
    blocks.append(block)
    pool.submit { [clock, run] judge in
      let start = StageClock.now
      block.judge(judge, run)
      clock.verifying.add(since: start)
    }
  }

  /// The oldest block in flight.
  mutating func popFirst() -> SignatureBlock? {
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

  /// Hands a full block to the workers and gives an empty one back; where as many as may be are
  /// in flight, the oldest is reduced first.
  mutating func exchange(
    _ block: SignatureBlock, reduce: (SignatureBlock) throws(AuditError) -> Void
  ) throws(AuditError) -> SignatureBlock {
    submit(block)
    while blocks.count - first > plan.inFlight, let oldest = popFirst() {
      try reduce(oldest)
      oldest.removeAll()
      free.append(oldest)
    }
    if first > plan.inFlight {
      blocks.removeFirst(first)
      first = 0
    }
    return free.popLast() ?? makeBlock()
  }
}
