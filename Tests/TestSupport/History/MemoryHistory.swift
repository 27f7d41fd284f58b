package import AuditEngine
internal import Synchronization

/// A state in memory: the data that runs leave behind, from one to the next, as a state on disk
/// would have it. It checks that every caller keeps the rules of the protocols, and throws an error
/// if one does not.
package final class MemoryHistory: Sendable {
  /// The days that a segment of hashes is remembered beyond its run's, or nil for ever.
  package let windowDays: Int?
  /// The days that kept rows are kept beyond their run's, or nil for ever.
  package let pendingDays: Int?
  private let held = Mutex(MemoryState())
  private let open = Mutex<MemoryRun?>(nil)

  package init(windowDays: Int? = nil, pendingDays: Int? = nil) {
    self.windowDays = windowDays
    self.pendingDays = pendingDays
  }

  /// The data that all committed runs left.
  package var state: MemoryState { held.withLock { $0 } }

  /// Starts a run of the day `date`, such as `2026-11-20`, whose sources have these names. Windows
  /// are measured from `date`. A run that was neither committed nor abandoned is abandoned.
  package func beginRun(
    mode: RunMemory.Mode = .advance, date: String = "2026-11-20", names: [String] = ["log"]
  ) -> RunMemory {
    let state = held.withLock { state in
      let today = MemoryState.day(date)
      if let windowDays { state.segments.removeAll { $0.day + windowDays < today } }
      if let pendingDays { state.rows.removeAll { $0.day + pendingDays < today } }
      return state
    }
    let run = MemoryRun(state, mode: mode, date: date, names: names)
    open.withLock { $0 = run }
    let earlier = state.sources
    return RunMemory(
      mode: mode, firstSource: UInt32(earlier.count),
      sourceName: { Int($0) < earlier.count ? earlier[Int($0)] : "" },
      keys: run.keys, hashes: run.hashes, events: run.events, findings: run.findings)
  }

  /// Adds the data that the run remembered to the state. A run of the mode `reference` leaves
  /// nothing.
  package func commit() {
    let run = open.withLock { run in
      defer { run = nil }
      return run
    }
    guard let run, run.mode == .advance else { return }
    held.withLock { $0.take(run) }
  }

  /// Drops the data that the run remembered.
  package func abandon() {
    open.withLock { $0 = nil }
  }
}

/// A run between its start and its commit.
final class MemoryRun: Sendable {
  let mode: RunMemory.Mode
  let date: String
  let names: [String]
  let keys: MemoryKeys
  let hashes: MemoryHashes
  let events: MemoryEvents
  let findings: MemoryFindings

  init(_ state: MemoryState, mode: RunMemory.Mode, date: String, names: [String]) {
    self.mode = mode
    self.date = date
    self.names = names
    let isAdvance = mode == .advance
    keys = MemoryKeys(state.keys, state.devices, isAdvance: isAdvance)
    hashes = MemoryHashes(state.segments.map(\.records), isAdvance: isAdvance)
    events = MemoryEvents(state.rows.map(\.rows), isAdvance: isAdvance)
    findings = MemoryFindings(state.findings, isAdvance: isAdvance)
  }
}
