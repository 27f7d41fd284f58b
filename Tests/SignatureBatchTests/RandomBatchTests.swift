import Foundation
import SignatureBatch
import TestSupport
import Testing

/// Random signatures, half of them mutated, judged by each curve, arithmetic and method as OpenSSL does.
///
/// `SIGNATURE_CASES` sets how many there are of them, `SIGNATURE_FUZZ_SECONDS` how long further ones are made,
/// `SIGNATURE_SEED` where they start; the seed of a failure is in its message.
struct RandomBatchTests {
  private static func setting(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  private static let seed = UInt64(setting("SIGNATURE_SEED") ?? 20_261_121)

  @Test(arguments: TestEngine.supported)
  func `random signatures and mutations are judged as OpenSSL judges them`(
    engine: TestEngine
  ) throws {
    let most = Self.setting("SIGNATURE_CASES") ?? (engine.curve == .p256 ? 600 : 300)
    let count = engine.arithmetic == .emulated ? max(100, most / 20) : most
    var verifier = try engine.verifier()
    var judged = 0
    var seed = Self.seed
    while judged < count {
      judged += try check(
        &verifier, engine, seed: seed, count: min(count - judged, 20_000), most: 60)
      seed += 1
    }
  }

  @Test(.enabled(if: setting("SIGNATURE_FUZZ_SECONDS") != nil))
  func `random batches hold for as long as wanted`() throws {
    let end = Date(timeIntervalSinceNow: Double(Self.setting("SIGNATURE_FUZZ_SECONDS") ?? 0))
    var seed = Self.seed
    var judged = 0
    while Date.now < end {
      var random = Generator(seed)
      for engine in TestEngine.supported {
        let arena =
          try engine.tables().leastArenaBytesForKeys + Int.random(in: 0...4_000_000, using: &random)
        let width = Int.random(in: 4...9, using: &random)
        var verifier = try engine.verifier(width: width, arenaBytes: arena)
        let count = Int.random(
          in: 1...(engine.arithmetic == .emulated ? 300 : 3_000), using: &random)
        let most = [1, 3, 20, 3_000].randomElement(using: &random)!
        judged += try check(&verifier, engine, seed: seed, count: count, most: most)
      }
      seed += 1
    }
    print("\(judged) signatures by every method, seeds \(Self.seed) to \(seed - 1)")
  }

  /// Makes one batch and checks every method; returns its size.
  private func check(
    _ verifier: inout BatchVerifier, _ engine: TestEngine, seed: UInt64, count: Int, most: Int
  ) throws -> Int {
    var maker = try CaseMaker(engine.curve, seed: seed)
    let batch = try maker.batch(of: count, mostPerKey: most)
    for method in engine.methods {
      let undecided = batch.check(&verifier, method: method, "seed \(seed)")
      #expect(undecided <= 3 + count / 150, "\(method), seed \(seed)")
    }
    let base = try engine.tables(width: 4)
    #expect(batch.checkByTables(&verifier, base) <= 2 + count / 200, "tables, seed \(seed)")
    return batch.expected.count
  }
}
