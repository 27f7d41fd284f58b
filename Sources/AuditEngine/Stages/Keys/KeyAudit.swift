internal import AppAttest
internal import Basics
internal import Synchronization

/// The reduce by key identifier: merges the events, with those that earlier runs kept, has their
/// signatures checked by the workers in blocks, and judges them in order.
struct KeyAudit {
  let context: ReduceContext
  let pool: WorkerPool<SignatureJudge>
  let plan: BlockPlan
  /// Sorted by key identifier.
  let knownKeys: [KnownKey]

  private var shuffles: Shuffles { context.shuffles }
  private var progress: AuditProgress { context.progress }

  /// Judges every event; on return the reducer has seen them all.
  func reduce(into reducer: KeyReducer) throws(AuditError) {
    let start = StageClock.now
    defer { progress.clock.judging.add(since: start) }
    var rows = try keyRows()
    let builder = RowBuilder(texts: shuffles.texts)
    var queue = BlockQueue(plan: plan, pool: pool, run: context.run, clock: progress.clock)
    var block = queue.makeBlock()
    var key: KeyContext?
    var departed = DepartedEvents()
    // Whatever happens, no worker may still hold a block.
    defer { pool.drain() }
    while var bytes = unsafe try rows.next() {
      let row = unsafe EventRow(bytes)
      let owner: KeyContext
      if let key, key.owns(row) {
        owner = key
      } else {
        owner = try makeContext(row)
        key = owner
      }
      // It asks for what earlier runs kept of a key that a list has, and says nothing.
      if !rows.isKept, row.flags == .marks { continue }
      if row.section != .registry, unsafe owner.leavesOut(row.clientDataHash) {
        // It is counted as one of its line, and that is all.
        context.verdicts.count(.valid)
        continue
      }
      if rows.isKept || row.flags.contains(.waiting) {
        guard
          let taken = unsafe try take(bytes, isKept: rows.isKept, owner, &departed, builder)
        else { continue }
        unsafe bytes = taken
      } else if row.section == .registry {
        try owner.register(row, apps: context.apps.apps, shuffles.texts)
        continue
      }
      if unsafe block.append(bytes, owner) { continue }
      try context.run.check()
      block = try queue.exchange(
        block,
        reduce: { (full) throws(AuditError) in
          try reduce(full, into: reducer)
        })
      guard unsafe block.append(bytes, owner) else {
        throw AuditError(.inconsistent, "a row does not fit into an empty block")
      }
    }
    queue.submit(block)
    while let last = queue.popFirst() { try reduce(last, into: reducer) }
    try reducer.finish()
  }

  /// Returns the rows of this run, with those that earlier runs kept of its keys.
  private func keyRows() throws(AuditError) -> MergedKeyRows {
    let rows = try shuffles.byKey.merged()
    guard let history = context.history else { return try MergedKeyRows(rows, kept: []) }
    // Where several processes judge, rows ask for the keys that lists have.
    let wanted =
      history.mode == .advance && history.rows == nil ? try history.wantedKeys(knownKeys) : []
    return try MergedKeyRows(
      rows, kept: history.events.runs(from: history.marks), history.order, wanted: wanted)
  }

  /// Returns what is known before the first event of a key or device.
  private func makeContext(_ row: EventRow) throws(AuditError) -> KeyContext {
    let keyID = row.keyID
    guard let history = context.history else {
      let key =
        row.section == .device
        ? KeyContext(device: keyID) : KeyContext(keyID: keyID, imported: listed(keyID))
      // Where nobody asks for the key's events, those matter whose hash chosen ones may have.
      if context.events?.passesOver(keyID) == true { key.repeated = shuffles.repeated }
      return key
    }
    if row.section == .device { return KeyContext(device: keyID) }
    return try KeyContext(
      keyID: keyID, listed: listed(keyID), remembered: history.keys.key(keyID), history)
  }

  /// Takes a row that an earlier run kept, or an event that waited for its device's key: a row for
  /// the reducer, valid until the next call, or nil if it has nothing to do.
  private func take(
    _ bytes: UnsafeRawBufferPointer, isKept: Bool, _ key: KeyContext,
    _ departed: inout DepartedEvents, _ row: RowBuilder
  ) throws(AuditError) -> UnsafeRawBufferPointer? {
    let event = unsafe EventRow(bytes)
    if DepartedEvents.isMark(event) {
      departed.take(event, isKept: isKept)
      return nil
    }
    guard isKept else {
      // An event that was once taken for that of a key on nothing but a failed attestation's word
      // comes back only where the key is trusted now.
      let isTaken =
        !event.flags.contains(.remembered) || (!key.wasTrusted && key.trust != nil)
      // One that waited and moved as well is there twice.
      return unsafe isTaken && departed.isFirst(event) ? bytes : nil
    }
    if let part = unsafe KeptRow.snapshot(bytes) {
      unsafe key.take(snapshot: part, of: event.counter)
      return nil
    }
    guard !event.flags.contains(.marks), context.history?.leavesAside(event.position) != true else {
      return nil
    }
    let isWaiting = event.flags.contains(.waiting)
    // What waits for a device's key was taken to the join by device; and where an earlier run could
    // verify the key's assertions, it keeps them as judged.
    if isWaiting {
      guard unsafe !KeptRow.waitsForDevice(bytes), !key.hasJudgedWaiting(of: event.position.source)
      else {
        return nil
      }
    }
    let departure = isWaiting ? nil : departed.departure(of: event)
    let kept = unsafe try KeptRow(bytes)
    guard !kept.isOld, departure != .before else { return nil }
    try kept.write(context.apps, row)
    if departure == .now { EventRow.add(.leaving, row) }
    return unsafe row.row
  }

  private func reduce(_ block: SignatureBlock, into reducer: KeyReducer) throws(AuditError) {
    try block.withEach { (key, events) throws(AuditError) in try reducer.take(events, key) }
    progress.rowsDone.add(block.count, ordering: .relaxed)
  }

  /// Returns the key of that identifier in the run's list.
  private func listed(_ keyID: Digest256) -> KnownKey? {
    let index = knownKeys.indices.searched { knownKeys[$0].keyID < keyID }
    return index < knownKeys.count && knownKeys[index].keyID == keyID ? knownKeys[index] : nil
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
  private let run: Cancellation<AuditError>
  private let clock: StageClock
  private let pool: WorkerPool<SignatureJudge>
  private var blocks: [SignatureBlock] = []
  private var free: [SignatureBlock] = []
  private var first = 0

  init(
    plan: BlockPlan, pool: WorkerPool<SignatureJudge>, run: Cancellation<AuditError>,
    clock: StageClock
  ) {
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

  /// Returns the oldest block in flight.
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
