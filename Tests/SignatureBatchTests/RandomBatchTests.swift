import SignatureBatch
import TestSupport
import Testing

/// Random signatures, half of them mutated, judged by each curve, arithmetic and method as OpenSSL does.
///
/// The seed of a failure is in its message.
struct RandomBatchTests {
  @Test(arguments: TestEngine.supported)
  func `random signatures and mutations are judged as OpenSSL judges them`(
    engine: TestEngine
  ) throws {
    let most = engine.curve == .p256 ? 600 : 300
    let count = engine.arithmetic == .emulated ? 100 : most
    let seed: UInt64 = 20_261_121
    var verifier = try engine.verifier()
    var maker = try CaseMaker(engine.curve, seed: seed)
    let batch = try maker.batch(of: count, mostPerKey: 60)
    for method in engine.methods {
      let undecided = batch.check(&verifier, method: method, "seed \(seed)")
      #expect(undecided <= 3 + count / 150, "\(method), seed \(seed)")
    }
    let base = try engine.tables(width: 4)
    #expect(batch.checkByTables(&verifier, base) <= 2 + count / 200, "tables, seed \(seed)")
  }
}
