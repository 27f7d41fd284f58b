internal import AppAttest
internal import Basics
internal import Synchronization

/// The reduce by key identifier: merges events with kept ones, has signatures checked in blocks,
/// and judges them in order. Several are at work at once, each with its keys.
struct KeyAudit: @unchecked Sendable {
  // Each is used by one thread.
  let context: ReduceContext
  let reducer: KeyReducer
  // Those at work at once share these.
  let ranges: RowRanges
  let blocks: SpareBlocks
  /// The keys of the run's list, ascending.
  let knownKeys: [KnownKey]

  private var shuffles: Shuffles { context.shuffles }
  private var progress: AuditProgress { context.progress }

  /// Judges the events of every range that no other one takes; on return the reducer has seen them.
  func reduce(_ leader: Crew<SignatureJudge>.Leader) throws(AuditError) {
    let start = StageClock.now
    var rows = try keyRows()
    let builder = RowBuilder(texts: shuffles.texts)
    var queue = BlockQueue(blocks, leader, run: context.run, clock: progress.clock)
    defer { progress.clock.judging.add(since: start + queue.verifying) }
    var block = blocks.plan.makeBlock()
    var key: KeyContext?
    var departed = DepartedEvents()
    while var bytes = unsafe try rows.next() {
      let row = unsafe EventRow(bytes)
      let owner: KeyContext
      if let key, key.owns(row) {
        owner = key
      } else {
        owner = try makeContext(row)
        key = owner
      }
      // It asks for what earlier runs kept of a key.
      if !rows.isKept, row.flags == .marks {
        if row.asksForUnsettled { owner.isUnsettled = true }
        continue
      }
      if row.section != .registry, unsafe owner.leavesOut(row.clientDataHash) {
        // It is counted as one of its line, and that is all.
        context.verdicts.count(.valid)
        continue
      }
      var stays = rows.stays
      if rows.isKept || row.flags.contains(.waiting) {
        stays = false
        guard
          let taken = unsafe try take(bytes, isKept: rows.isKept, owner, &departed, builder)
        else { continue }
        unsafe bytes = taken
      } else if row.section == .registry {
        try owner.register(
          row, isOfOtherLog: reducer.otherLogs.contains(row.position.source),
          apps: context.apps.apps, shuffles.texts)
        continue
      }
      if unsafe block.append(bytes, owner, stays: stays) { continue }
      try context.run.check()
      block = try queue.exchange(
        block,
        reduce: { (full) throws(AuditError) in
          try reduce(full)
        })
      guard unsafe block.append(bytes, owner, stays: stays) else {
        throw AuditError(.inconsistent, "a row does not fit into an empty block")
      }
    }
    try queue.finish(
      block,
      reduce: { (last) throws(AuditError) in
        try reduce(last)
      })
    try reducer.finish()
  }

  /// Returns the rows of this run, with those that earlier runs kept of its keys.
  private func keyRows() throws(AuditError) -> MergedKeyRows {
    let rows = try RangedRows(ranges)
    guard let history = context.history else { return try MergedKeyRows(rows, kept: []) }
    // Where several processes judge, rows ask for the keys that lists have.
    let asks = history.mode == .advance && history.rows == nil
    let wanted = asks ? try history.wantedKeys(knownKeys) : []
    return try MergedKeyRows(
      rows, kept: history.events.runs(from: history.marks), history.order, wanted: wanted)
  }

  /// Returns what is known before the first event of a key or device.
  private func makeContext(_ row: EventRow) throws(AuditError) -> KeyContext {
    let keyID = row.keyID
    guard let history = context.history else {
      let isDevice = row.section == .device
      let key = KeyContext(
        keyID: keyID, isDevice: isDevice, imported: isDevice ? nil : listed(keyID))
      // Where nobody asks for the key's events, those matter whose hash chosen ones may have.
      if context.eventKeys?.contains(keyID) == false { key.repeated = shuffles.repeated }
      return key
    }
    if row.section == .device { return KeyContext(keyID: keyID, isDevice: true) }
    let remembered = try history.keys.key(keyID)
    func make() throws(AuditError) -> KeyContext {
      try KeyContext(keyID: keyID, listed: listed(keyID), remembered: remembered, history)
    }
    let key = try make()
    if !reducer.otherLogs.isEmpty { key.accounted = try make() }
    return key
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
      // An event that only a failed attestation gave the key comes back only if it is trusted now.
      let isTaken =
        !event.flags.contains(.remembered) || (!key.wasTrusted && key.trust != nil)
      // One that waited and moved as well is there twice.
      return unsafe isTaken && departed.isFirst(event) ? bytes : nil
    }
    if let part = unsafe KeptRow.snapshot(bytes) {
      unsafe key.take(snapshot: part, of: event.counter)
      return nil
    }
    // What was damaged then is judged by what was known then, for the sake of the events around it.
    let isDamaged = context.history?.isNewlyReplaced(event.position) ?? false
    guard !event.flags.contains(.marks),
      isDamaged || context.history?.leavesAside(event.position) != true
    else { return nil }
    let isWaiting = event.flags.contains(.waiting)
    // What waits for a device's key is with the join; what could be verified is kept as judged.
    if isWaiting, event.namesDeviceOnly || key.hasJudgedWaiting(of: event.position.source) {
      return nil
    }
    let departure = isWaiting ? nil : departed.departure(of: event)
    let kept = unsafe try KeptRow(bytes)
    guard departure != .before else { return nil }
    kept.write(context.apps, row)
    if departure == .now || isDamaged { EventRow.add(.leaving, row) }
    return unsafe row.row
  }

  private func reduce(_ block: SignatureBlock) throws(AuditError) {
    try block.withEach { (key, events) throws(AuditError) in try reducer.take(events, key) }
    progress.rowsDone.add(block.count, ordering: .relaxed)
  }

  private func listed(_ keyID: Digest256) -> KnownKey? {
    let index = knownKeys.indices.searched { knownKeys[$0].keyID < keyID }
    return index < knownKeys.count && knownKeys[index].keyID == keyID ? knownKeys[index] : nil
  }
}
