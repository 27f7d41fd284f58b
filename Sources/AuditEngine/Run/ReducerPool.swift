internal import Basics
internal import Dispatch

/// The reducers of a run, at work side by side.
struct ReducerPool<Reducer>: @unchecked Sendable {
  // Each reducer is used by one thread alone: the one that has its index.
  private let run: Cancellation<AuditError>
  private let reducers: [Reducer]

  init(_ run: Cancellation<AuditError>, _ reducers: [Reducer]) {
    self.run = run
    self.reducers = reducers
  }

  /// Calls `body` for each reducer, for all at once; where one fails the run stops.
  ///
  /// - Throws: The reason why the run stops.
  func run(_ body: @Sendable (Reducer) throws(AuditError) -> Void) throws(AuditError) {
    DispatchQueue.concurrentPerform(iterations: reducers.count) { index in
      do throws(AuditError) { try body(reducers[index]) } catch { run.stop(error) }
    }
    try run.check()
  }
}
