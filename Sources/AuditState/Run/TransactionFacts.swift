package import AuditLog

/// The facts of a run that are known when it begins.
package struct TransactionFacts: Sendable, Equatable {
  /// `summary.json`'s `run.id`: no other run's.
  package var id: String
  /// The run's `--date`: `2026-11-20`.
  package var day: String
  /// Milliseconds since 1970, by the clock that windows are measured with.
  package var startedAt: Int64
  package var windows: StateWindows
  /// The number of earlier states that stay after the run.
  package var generations: Int

  package init(
    id: String, day: String, startedAt: Int64, window: Int64, pendingFor: Int64,
    generations: Int = 2
  ) {
    self.id = id
    self.day = day
    self.startedAt = startedAt
    windows = StateWindows(window: window, pendingFor: pendingFor)
    self.generations = generations
  }

  /// Returns how long segments of a kind are remembered, in milliseconds.
  func span(_ kind: SegmentKind) -> Int64 {
    switch kind {
    case .hashes, .prefixes: windows.window
    case .events: windows.pendingFor
    }
  }
}

package struct TransactionOutcome: Sendable, Equatable {
  /// The names of all sources of the run, from ``RunMemory/firstSource`` on.
  package var sources: [String]
  /// The key of the digests of its inputs' lines, or nil if there are none.
  package var lineKey: LineKey?
  package var inputs: [ReadInputs.Entry]
  /// The inputs of earlier runs of which the run's inputs explain something.
  package var explained: [ReadInputs.Explained] = []
  /// Milliseconds since 1970.
  package var finishedAt: Int64
  package var totals: CommittedTotals

  package init(
    sources: [String], inputs: [ReadInputs.Entry], finishedAt: Int64, totals: CommittedTotals
  ) {
    self.sources = sources
    self.inputs = inputs
    self.finishedAt = finishedAt
    self.totals = totals
  }
}
