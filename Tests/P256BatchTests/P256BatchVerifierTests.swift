import OpenSSL
import P256Batch
import Testing

struct P256BatchVerifierTests {
  /// A batch of keys with so many signatures each, of which every third does not hold.
  private func batch(_ counts: [Int], seed: UInt64 = 1) throws -> TestBatch {
    var random = TestRandom(seed: seed)
    let signer = try MintingSigner(.p256)
    var batch = TestBatch()
    for count in counts {
      let secret = random.bytes(32)
      batch.add(key: Array(try signer.publicPoint(of: secret).dropFirst()))
      for _ in 0..<count {
        let digest = random.bytes(32)
        let signature = try signer.sign(digest, secret: secret)
        let isWrong = batch.expected.count % 3 == 2
        batch.add(r: signature.r, s: signature.s, digest: isWrong ? random.bytes(32) : digest)
      }
    }
    return batch
  }

  @Test(arguments: P256Kernel.supported)
  func `batches of any shape are judged`(kernel: P256Kernel) throws {
    var verifier = try kernel.verifier()
    let shapes = [
      [], [0], [0, 0, 0], [1], [2], [7], [8], [9], [0, 1, 0, 8, 0, 0],
      Array(repeating: 1, count: 7),
      Array(repeating: 1, count: 8), Array(repeating: 1, count: 17), [3, 1, 4, 1, 5, 9, 2, 6],
    ]
    for (index, shape) in shapes.enumerated() {
      let batch = try batch(shape, seed: UInt64(index))
      #expect(batch.check(&verifier, "\(shape)") == 0)
      #expect(batch.check(&verifier, method: .table(width: 4), "\(shape)") == 0)
    }
  }

  @Test func `more keys and more signatures than fit at once are judged in parts`() throws {
    // The least arena takes 256 signatures at once, and some hundred keys.
    var verifier = try P256Kernel.portable.verifier()
    for shape in [[255], [256], [257], [520, 3], Array(repeating: 1, count: 300)] {
      let batch = try batch(shape)
      for method in [.automatic, .buckets, .table(width: 5)] as [P256Method] {
        #expect(batch.check(&verifier, method: method, "\(shape)") == 0)
      }
    }
    var wide = try P256Kernel.portable.verifier(arenaBytes: P256Kernel.portable.leastArenaBytes)
    #expect(try batch([1, 1, 2]).check(&wide, method: .table(width: 9)) == 0)
  }

  @Test(arguments: P256Kernel.supported)
  func `a key that is no point leaves its signatures undecided`(kernel: P256Kernel) throws {
    var batch = try batch([2, 2])
    let good = Array(batch.keys.prefix(64))
    var off = good
    off[63] ^= 1
    let prime = TestNumber.prime.bytes
    let keys =
      [off, [UInt8](repeating: 0, count: 64), [UInt8](repeating: 0xFF, count: 64)]
      + [prime + good.suffix(32), good.prefix(32) + prime, good.suffix(32) + good.prefix(32)]
    let signature = Array(batch.signatures.prefix(96))
    for key in keys {
      batch.add(key: key)
      batch.add(
        r: Array(signature[..<32]), s: Array(signature[32..<64]), digest: Array(signature[64...]))
    }
    var verifier = try kernel.verifier()
    let verdicts = batch.verdicts(&verifier)
    #expect(verdicts.prefix(4) == [.valid, .valid, .invalid, .valid])
    #expect(verdicts.dropFirst(4).allSatisfy { $0 == .undecided })
  }

  @Test(arguments: P256Kernel.supported)
  func `r and s of 0, of n and above do not hold`(kernel: P256Kernel) throws {
    var batch = try batch([1])
    let signature = Array(batch.signatures.prefix(96))
    let r = Array(signature[..<32])
    let s = Array(signature[32..<64])
    let zero = [UInt8](repeating: 0, count: 32)
    var above = TestNumber.order.bytes
    above[31] += 1
    for number in [zero, TestNumber.order.bytes, above, zero.map { ~$0 }] {
      batch.add(r: number, s: s, digest: Array(signature[64...]))
      batch.add(r: r, s: number, digest: Array(signature[64...]))
    }
    var verifier = try kernel.verifier()
    #expect(
      batch.verdicts(&verifier) == [.valid] + [P256Verdict](repeating: .invalid, count: 8))
  }

  @Test func `one set of tables serves verifiers of any arena`() throws {
    let tables = try #require(P256BatchTables(kernel: .portable, width: 5))
    #expect(tables.byteCount > 52 * 16 * 64)
    let batch = try batch([5, 1, 50])
    let least = P256Kernel.portable.leastArenaBytes
    for arena in [least, least + 1, 1 << 20, 3 << 20, P256Kernel.portable.bestArenaBytes] {
      let made = P256BatchVerifier(tables: tables, arenaBytes: arena)
      guard var verifier = made else { throw OutOfMemory() }
      #expect(verifier.arenaBytes == arena)
      #expect(batch.check(&verifier) == 0)
    }
  }

  @Test func `only what the processor can run is offered`() {
    for kernel in P256Kernel.allCases {
      #expect((P256BatchTables(kernel: kernel, width: 4) != nil) == kernel.isSupported)
    }
    #expect(P256Kernel.portable.isSupported)
    #expect(P256Kernel.best.isSupported)
    #expect(P256Kernel.best != .emulated)
  }

  @Test(arguments: P256Kernel.supported)
  func `arenas are a few megabytes`(kernel: P256Kernel) {
    #expect(kernel.leastArenaBytes < 2 << 20)
    #expect(kernel.bestArenaBytes <= 16 << 20)
  }
}
