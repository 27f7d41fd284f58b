import Foundation
import P256Batch
import Testing

/// Random signatures, half of them mutated, judged by each kernel and each method as OpenSSL does.
///
/// `P256_CASES` sets how many there are of them, `P256_FUZZ_SECONDS` how long further ones are made,
/// `P256_SEED` where they start; the seed of a failure is in its message.
struct RandomBatchTests {
  private static func setting(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  private static let seed = UInt64(setting("P256_SEED") ?? 20_261_121)

  @Test(arguments: P256Kernel.supported)
  func `random signatures and mutations are judged as OpenSSL judges them`(
    kernel: P256Kernel
  ) throws {
    let most = Self.setting("P256_CASES") ?? 800
    let count = kernel == .emulated ? max(100, most / 20) : most
    var verifier = try kernel.verifier()
    var judged = 0
    var seed = Self.seed
    while judged < count {
      judged += try check(
        &verifier, kernel, seed: seed, count: min(count - judged, 20_000), most: 60)
      seed += 1
    }
  }

  @Test(.enabled(if: setting("P256_FUZZ_SECONDS") != nil))
  func `random batches hold for as long as wanted`() throws {
    let end = Date(timeIntervalSinceNow: Double(Self.setting("P256_FUZZ_SECONDS") ?? 0))
    var seed = Self.seed
    var judged = 0
    while Date.now < end {
      var random = TestRandom(seed: seed)
      for kernel in P256Kernel.supported {
        let arena = kernel.leastArenaBytes + Int.random(in: 0...4_000_000, using: &random)
        let width = Int.random(in: 4...9, using: &random)
        var verifier = try kernel.verifier(width: width, arenaBytes: arena)
        let count = Int.random(in: 1...(kernel == .emulated ? 300 : 3_000), using: &random)
        let most = [1, 3, 20, 3_000].randomElement(using: &random)!
        judged += try check(&verifier, kernel, seed: seed, count: count, most: most)
      }
      seed += 1
    }
    print("\(judged) signatures by every method, seeds \(Self.seed) to \(seed - 1)")
  }

  /// Makes one batch and checks every method; returns its size.
  private func check(
    _ verifier: inout P256BatchVerifier, _ kernel: P256Kernel, seed: UInt64, count: Int, most: Int
  ) throws -> Int {
    var maker = try CaseMaker(seed: seed)
    let batch = try maker.batch(of: count, mostPerKey: most)
    for method in P256Method.tested(kernel) {
      let undecided = batch.check(&verifier, method: method, "seed \(seed)")
      #expect(undecided <= 2 + count / 200, "\(method), seed \(seed)")
    }
    return batch.expected.count
  }
}
