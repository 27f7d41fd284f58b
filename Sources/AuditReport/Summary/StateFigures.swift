/// What a state holds, as `summary.json` tells it: once the run is committed where it advances, as it
/// was found where it only refers.
package struct StateFigures: Sendable, Equatable {
  /// The runs that advanced it.
  package var runs: UInt64
  /// The keys it knows.
  package var keys: UInt64
  /// The records of the replay window.
  package var rememberedHashes: UInt64
  /// The assertions that wait for their key's attestation.
  package var waiting: UInt64

  package init(runs: UInt64, keys: UInt64, rememberedHashes: UInt64, waiting: UInt64) {
    self.runs = runs
    self.keys = keys
    self.rememberedHashes = rememberedHashes
    self.waiting = waiting
  }
}
