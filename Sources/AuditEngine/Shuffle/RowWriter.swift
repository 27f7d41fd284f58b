internal import Dispatch
internal import Synchronization

/// One thread's end of a shuffle: a buffer of rows that is sorted and spilled when it is full.
///
/// Used by one thread at a time; what the spilling aside shares with it is behind the mutex.
package final class RowWriter: @unchecked Sendable {
  private let settings: RowSorter.Settings
  private let file: SpillFile
  /// The buffer that rows go into.
  private(set) var arena: RowArena
  /// The buffer that is not being filled; nil where spilling is not done aside.
  private var spare: RowArena?
  private let queue = DispatchQueue(label: "spill")
  private let outcome = Mutex<(runs: [RowRun], failure: AuditError?)>(([], nil))
  /// The number of rows added.
  private(set) var rowCount = 0

  init(_ settings: RowSorter.Settings, _ file: SpillFile) {
    self.settings = settings
    self.file = file
    let share = settings.memory / max(settings.writers, 1) / (settings.spillsAside ? 2 : 1)
    arena = RowArena(capacity: share, keyLength: settings.keyLength)
    if settings.spillsAside {
      spare = RowArena(capacity: share, keyLength: settings.keyLength)
    }
  }

  /// Adds a row of at most ``RowRun/maximumRowBytes`` bytes, its key in front.
  package func append(_ row: UnsafeRawBufferPointer) throws(AuditError) {
    precondition(row.count <= RowRun.maximumRowBytes, "a row is longer than a shuffle takes")
    rowCount += 1
    if unsafe arena.append(row) { return }
    try spill()
    precondition(unsafe arena.append(row), "an empty buffer has no room for a row")
  }

  private func spill() throws(AuditError) {
    guard let other = spare else {
      spill(arena)
      return try check()
    }
    // The spare is free once what was queued before has been written.
    queue.sync {}
    try check()
    let full = arena
    arena = other
    spare = full
    queue.async { self.spill(full) }
  }

  /// Sorts a buffer, writes it out as a run and empties it.
  private func spill(_ arena: RowArena) {
    guard arena.count > 0 else { return }
    arena.sort()
    let run = RowRun(offset: file.reserve(arena.runBytes), byteCount: arena.runBytes)
    do throws(AuditError) {
      var writer = RowRunWriter(file: file, offset: run.offset, bufferBytes: 1 << 18)
      for index in 0..<arena.count { unsafe try writer.append(arena.row(index)) }
      try writer.flush()
      outcome.withLock { $0.runs.append(run) }
    } catch {
      outcome.withLock { $0.failure = $0.failure ?? error }
    }
    arena.removeAll()
  }

  private func check() throws(AuditError) {
    if let failure = outcome.withLock({ $0.failure }) { throw failure }
  }

  /// The runs spilled since the last call; `spillingAll`: with what is still in memory.
  func finish(spillingAll: Bool) throws(AuditError) -> [RowRun] {
    queue.sync {}
    if spillingAll { spill(arena) }
    try check()
    return outcome.withLock { outcome in
      defer { outcome.runs = [] }
      return outcome.runs
    }
  }

  /// Gives the memory of the buffers back.
  func release() {
    arena.release()
    spare?.release()
  }
}
