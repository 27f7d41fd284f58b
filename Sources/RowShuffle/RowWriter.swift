internal import Dispatch
package import Files
internal import Synchronization

/// One thread's end of a shuffle. Rows go into a buffer that fits a cache; when that is full they
/// leave it sorted for a store of runs; when that is full its runs are merged and spilled as one.
/// Used by one thread at a time; what the spilling aside shares with it is behind the mutex.
package final class RowWriter: @unchecked Sendable {
  /// The largest buffer that is sorted at once, in bytes.
  private static let arenaBytes = 1 << 20
  /// The most spilled runs, a kilobyte of memory each, and how many become one if there are more.
  private static let mostRuns = 256
  private static let mergedRuns = 16

  private let settings: RowSorter.Settings
  private let area: SpillArea
  private let arena: RowArena
  private(set) var store: RowStore
  /// The stores from the shared budget. `store` and the first `filled` of these are full if there are any.
  private var further: [RowStore] = []
  private var filled = 0
  /// The store that is not being filled, or nil if spilling is not done aside.
  private var spare: RowStore?
  /// The queue that spills, or nil if spilling is not done aside.
  private let queue: DispatchQueue?
  private let outcome = Mutex<(runs: [RowRun], failure: AuditError?)>(([], nil))
  /// The number of rows that have left the buffer.
  private var settledCount = 0
  package var rowCount: Int { settledCount + arena.count }

  init(_ settings: RowSorter.Settings) {
    self.settings = settings
    area = settings.space.area()
    let share = settings.memory / max(settings.writers, 1)
    let arenaBytes = min(max(share / 8, RowArena.leastCapacity), Self.arenaBytes)
    let storeBytes = max((share - arenaBytes) / (settings.spillsAside ? 2 : 1), arenaBytes)
    arena = RowArena(capacity: arenaBytes, keyLength: settings.keyLength)
    // Rows that are read once are those of all records; most logs have few of the others.
    store = RowStore(capacity: storeBytes, isSparse: !settings.isReadOnce)
    spare = settings.spillsAside ? RowStore(capacity: storeBytes) : nil
    queue = settings.spillsAside ? DispatchQueue(label: "spill") : nil
  }

  /// Adds a row of at most ``RowRun/maximumRowBytes`` bytes, its key in front.
  package func append(_ row: UnsafeRawBufferPointer) throws(AuditError) {
    precondition(row.count <= RowRun.maximumRowBytes, "a row is longer than a shuffle takes")
    if unsafe arena.append(row) { return }
    try settle()
    guard unsafe arena.append(row) else { throw .noMemory }
  }

  /// Sorts the buffer and empties it into the store, or hands it over as it is to the outlet.
  private func settle() throws(AuditError) {
    settledCount += arena.count
    if let outlet = settings.outlet {
      unsafe try outlet.take(arena.count) { unsafe arena.row($0) }
      return arena.removeAll()
    }
    arena.sort()
    if !append() {
      try spill()
      guard append() else { throw .noMemory }
    }
    arena.removeAll()
  }

  /// Copies the buffer into the first store that has room for it, if need be one from the shared budget.
  private func append() -> Bool {
    if filled == 0, store.append(arena) { return true }
    // A writer that spills aside has two stores, and no more.
    guard let budget = settings.budget, spare == nil else { return false }
    while true {
      if filled == further.count {
        guard let more = budget.takeStore() else { return false }
        further.append(more)
      }
      if further[filled].append(arena) { return true }
      filled += 1
    }
  }

  var stores: [RowStore] { [store] + further }

  private func spill() throws(AuditError) {
    guard let queue, let other = spare else {
      spill(store)
      return try check()
    }
    // The spare is free once what was queued before has been written.
    queue.sync {}
    try check()
    let full = store
    store = other
    spare = full
    queue.async { self.spill(full) }
  }

  /// Merges a store's runs, and those of further ones, writes them out as one and empties them.
  private func spill(_ store: RowStore) {
    guard store.used > 0 else { return }
    do throws(AuditError) {
      let held = SortedRows(stores: [store] + further)
      let rows = try RowMerger([held], keyLength: settings.keyLength, memory: 0)
      let used = held.stores.reduce(0) { $0 + $1.used }
      var writer = RowRunWriter(area.take(used), bufferBytes: 1 << 18)
      while let row = unsafe try rows.next() { unsafe try writer.append(row) }
      let run = try writer.finish()
      outcome.withLock { $0.runs.append(run) }
      try mergeFirstRuns()
    } catch {
      outcome.withLock { $0.failure = $0.failure ?? error }
    }
    store.removeAll()
    for other in further { other.removeAll() }
    filled = 0
  }

  /// Merges the first spilled runs into one where there are too many.
  private func mergeFirstRuns() throws(AuditError) {
    let first = outcome.withLock { outcome in
      guard outcome.runs.count > Self.mostRuns else { return [RowRun]() }
      defer { outcome.runs.removeFirst(Self.mergedRuns) }
      return Array(outcome.runs.prefix(Self.mergedRuns))
    }
    guard !first.isEmpty else { return }
    let merged = try RowRunMerge.merge(
      first, into: settings.space, keyLength: settings.keyLength, memory: 0)
    outcome.withLock { $0.runs.append(merged) }
  }

  private func check() throws(AuditError) {
    if let failure = outcome.withLock({ $0.failure }) { throw failure }
  }

  /// Ends the writing and returns the runs spilled since the last call. If `spillingAll`, these
  /// include what is still in memory, which else stays in the store.
  func finish(spillingAll: Bool) throws(AuditError) -> [RowRun] {
    try settle()
    queue?.sync {}
    if spillingAll { spill(store) }
    try check()
    return outcome.withLock { outcome in
      defer { outcome.runs = [] }
      return outcome.runs
    }
  }

  /// Gives back all memory that holds no rows of the store; after ``finish(spillingAll:)``.
  func keepRows() {
    arena.release()
    spare?.release()
    for store in stores { store.trim() }
  }

  func release() {
    arena.release()
    store.release()
    settings.budget?.giveBack(further.count)
    further = []
    filled = 0
    spare?.release()
  }
}

extension AuditError {
  fileprivate static let noMemory = AuditError(.memory, "there is no memory for a buffer of rows")
}
