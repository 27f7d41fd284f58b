internal import AppAttest
internal import SignatureBatch

/// The batch verifier of one worker for any keys on P-256.
final class P256BatchKernel {
  private var verifier: BatchVerifier

  /// Makes a verifier that takes at most `arenaBytes`, or nil if they are too few.
  init?(tables: BaseTables, arenaBytes: Int) {
    guard arenaBytes >= tables.leastArenaBytesForKeys,
      let verifier = BatchVerifier(
        tables: tables, arenaBytes: min(arenaBytes, tables.bestArenaBytes))
    else { return nil }
    self.verifier = verifier
  }

  /// Judges the signatures of some keys: ``SignatureJudge/Kernel``.
  func judge(
    keys: [UInt8], counts: [UInt32], signatures: [UInt8], into verdicts: inout [UInt8]
  ) {
    var output = verdicts.mutableSpan
    verifier.verify(
      keys: keys.span, counts: counts.span, signatures: signatures.span, verdicts: &output)
  }
}

/// The batch verifiers of one worker, for keys with tables.
final class TableKernel {
  private let tables: SigningKeyTables
  private var p256: BatchVerifier?
  private var p384: BatchVerifier?

  init(_ tables: SigningKeyTables) {
    self.tables = tables
  }

  /// Returns the verdict on each signature of a key: r ‖ s ‖ digest, each as long as a coordinate.
  func judge(_ key: SigningKey, _ signatures: [UInt8]) -> [BatchVerdict] {
    let count = signatures.count / SignatureCurve(key.curve).signatureBytes
    var verdicts = [UInt8](repeating: BatchVerdict.undecided.rawValue, count: count)
    if let tables = tables.tables(of: key, signatures: count) {
      switch key.curve {
      case .p256: Self.verify(&p256, tables, signatures, &verdicts)
      case .p384: Self.verify(&p384, tables, signatures, &verdicts)
      }
    }
    return verdicts.map { BatchVerdict(rawValue: $0) ?? .undecided }
  }

  private static func verify(
    _ verifier: inout BatchVerifier?, _ tables: SigningKeyTables.Tables, _ signatures: [UInt8],
    _ verdicts: inout [UInt8]
  ) {
    if verifier == nil {
      verifier = BatchVerifier(tables: tables.base, arenaBytes: tables.base.leastArenaBytes)
    }
    var output = verdicts.mutableSpan
    verifier?.verify(by: tables.key, signatures: signatures.span, verdicts: &output)
  }
}
