internal import SignatureBatch

/// A judge of many signatures at once. In the product it is ``P256BatchKernel``.
protocol BatchKernel: AnyObject {
  /// Judges the signatures of some keys.
  ///
  /// - Parameters:
  ///   - keys: x ‖ y of each key, 32 bytes each, big-endian.
  ///   - counts: How many signatures each key has.
  ///   - signatures: r ‖ s ‖ digest of each signature, 32 bytes each, key after key.
  ///   - verdicts: Receives the raw value of a `BatchVerdict` for each signature.
  func judge(
    keys: [UInt8], counts: [UInt32], signatures: [UInt8], into verdicts: inout [UInt8])
}

/// The batch verifier of one worker.
final class P256BatchKernel: BatchKernel {
  private var verifier: BatchVerifier

  /// Makes a verifier that takes at most `arenaBytes`, or nil if they are too few.
  init?(tables: BaseTables, arenaBytes: Int) {
    guard arenaBytes >= tables.leastArenaBytesForKeys,
      let verifier = BatchVerifier(
        tables: tables, arenaBytes: min(arenaBytes, tables.bestArenaBytes))
    else { return nil }
    self.verifier = verifier
  }

  func judge(
    keys: [UInt8], counts: [UInt32], signatures: [UInt8], into verdicts: inout [UInt8]
  ) {
    var output = verdicts.mutableSpan
    verifier.verify(
      keys: keys.span, counts: counts.span, signatures: signatures.span, verdicts: &output)
  }
}
