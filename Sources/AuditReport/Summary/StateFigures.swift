/// The size of a state in `summary.json`: after the commit if the run advances it, or as it was
/// found if the run only refers to it.
package struct StateFigures: Sendable, Equatable {
  /// The number of runs that advanced it.
  package var runs: UInt64
  /// The number of keys it knows.
  package var keys: UInt64
  /// The number of records of the replay window.
  package var rememberedHashes: UInt64
  /// The number of assertions that wait for their key's attestation.
  package var waiting: UInt64

  package init(runs: UInt64, keys: UInt64, rememberedHashes: UInt64, waiting: UInt64) {
    self.runs = runs
    self.keys = keys
    self.rememberedHashes = rememberedHashes
    self.waiting = waiting
  }
}
