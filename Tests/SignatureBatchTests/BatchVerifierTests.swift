import Minting
import SignatureBatch
import TestSupport
import Testing

struct BatchVerifierTests {
  /// A batch of keys with so many signatures each, of which every third is invalid.
  private func batch(
    _ counts: [Int], _ curve: SignatureCurve = .p256, seed: UInt64 = 1
  ) throws -> TestBatch {
    var random = Generator(seed)
    let signer = MintingSigner(curve == .p256 ? .p256 : .p384)
    var batch = TestBatch(curve)
    for count in counts {
      let secret = random.bytes(curve.numberBytes)
      batch.add(key: Array(signer.publicPoint(of: secret).dropFirst()))
      for _ in 0..<count {
        let digest = random.bytes(curve.numberBytes)
        let signature = signer.sign(digest, secret: secret)
        let isWrong = batch.expected.count % 3 == 2
        batch.add(
          r: signature.r, s: signature.s, digest: isWrong ? random.bytes(curve.numberBytes) : digest
        )
      }
    }
    return batch
  }

  @Test(arguments: TestEngine.supported)
  func `batches of any shape are judged`(engine: TestEngine) throws {
    var verifier = try engine.verifier()
    let base = try engine.tables()
    let shapes = [
      [], [0], [0, 0, 0], [1], [2], [7], [8], [9], [0, 1, 0, 8, 0, 0],
      Array(repeating: 1, count: 7),
      Array(repeating: 1, count: 8), Array(repeating: 1, count: 17), [3, 1, 4, 1, 5, 9, 2, 6],
    ]
    for (index, shape) in shapes.enumerated() {
      let batch = try batch(shape, engine.curve, seed: UInt64(index))
      #expect(batch.check(&verifier, "\(shape)") == 0)
      #expect(batch.check(&verifier, method: .table(width: 4), "\(shape)") == 0)
      #expect(batch.checkByTables(&verifier, base) == 0)
    }
  }

  @Test func `more keys and more signatures than fit at once are judged in parts`() throws {
    // The least arena takes 256 signatures at once, and some hundred keys.
    var verifier = try TestEngine(curve: .p256, arithmetic: .portable).verifier()
    for shape in [[255], [256], [257], [520, 3], Array(repeating: 1, count: 300)] {
      let batch = try batch(shape)
      for method in [.automatic, .buckets, .doublings, .table(width: 5)] as [KeyMethod] {
        #expect(batch.check(&verifier, method: method, "\(shape)") == 0)
      }
    }
    #expect(try batch([1, 1, 2]).check(&verifier, method: .table(width: 9)) == 0)
  }

  @Test(arguments: TestEngine.supported)
  func `a key that is no point leaves its signatures undecided`(engine: TestEngine) throws {
    var batch = try batch([2, 2], engine.curve)
    let size = engine.curve.numberBytes
    let good = Array(batch.keys.prefix(2 * size))
    var off = good
    off[2 * size - 1] ^= 1
    let prime = TestNumber.bytes(of: engine.curve.prime)
    let (x, y) = (Array(good.prefix(size)), Array(good.suffix(size)))
    let keys: [[UInt8]] = [
      off, [UInt8](repeating: 0, count: 2 * size), [UInt8](repeating: 0xFF, count: 2 * size),
      prime + y, x + prime, y + x,
    ]
    let signature = Array(batch.signatures.prefix(3 * size))
    for key in keys {
      batch.add(key: key)
      batch.add(
        r: Array(signature[..<size]), s: Array(signature[size..<2 * size]),
        digest: Array(signature[(2 * size)...]))
    }
    let base = try engine.tables()
    for key in keys { #expect(KeyTables(of: key.span, for: base) == nil) }
    var verifier = try engine.verifier()
    let verdicts = batch.verdicts(&verifier)
    #expect(verdicts.prefix(4) == [.valid, .valid, .invalid, .valid])
    #expect(verdicts.dropFirst(4).allSatisfy { $0 == .undecided })
  }

  @Test(arguments: TestEngine.supported)
  func `r and s of 0, of n and above do not hold`(engine: TestEngine) throws {
    var batch = try batch([1], engine.curve)
    let size = engine.curve.numberBytes
    let signature = Array(batch.signatures.prefix(3 * size))
    let r = Array(signature[..<size])
    let s = Array(signature[size..<2 * size])
    let zero = [UInt8](repeating: 0, count: size)
    let order = TestNumber.bytes(of: engine.curve.order)
    var above = order
    above[size - 1] += 1
    for number in [zero, order, above, zero.map { ~$0 }] {
      batch.add(r: number, s: s, digest: Array(signature[(2 * size)...]))
      batch.add(r: r, s: number, digest: Array(signature[(2 * size)...]))
    }
    var verifier = try engine.verifier()
    #expect(
      batch.verdicts(&verifier) == [.valid] + [BatchVerdict](repeating: .invalid, count: 8))
  }

  @Test(arguments: SignatureCurve.allCases)
  func `one set of tables serves verifiers of any arena`(curve: SignatureCurve) throws {
    let tables = try TestEngine(curve: curve, arithmetic: .portable).tables(width: 5)
    #expect(tables.byteCount > (curve.bitCount / 5 + 1) * 16 * curve.keyBytes)
    let batch = try batch([5, 1, 50], curve)
    let least = tables.leastArenaBytesForKeys
    for arena in [least, least + 1, least + 1 << 20, 4 << 20, tables.bestArenaBytes] {
      let made = BatchVerifier(tables: tables, arenaBytes: arena)
      guard var verifier = made else { throw OutOfMemory() }
      #expect(verifier.arenaBytes == arena)
      #expect(batch.check(&verifier) == 0)
    }
  }

  @Test(arguments: TestEngine.supported)
  func `without room for keys only tables of theirs decide`(engine: TestEngine) throws {
    let base = try engine.tables()
    #expect(base.leastArenaBytes < base.leastArenaBytesForKeys)
    let made = BatchVerifier(tables: base, arenaBytes: base.leastArenaBytes)
    guard var verifier = made else { throw OutOfMemory() }
    let batch = try batch([3, 4], engine.curve)
    #expect(batch.check(&verifier, method: .table(width: 6)) == 7)
    #expect(batch.checkByTables(&verifier, base) == 0)
  }

  @Test func `tables of another arithmetic decide nothing`() throws {
    let portable = TestEngine(curve: .p384, arithmetic: .portable)
    let emulated = TestEngine(curve: .p384, arithmetic: .emulated)
    var verifier = try portable.verifier()
    let batch = try batch([3], .p384)
    #expect(batch.checkByTables(&verifier, try emulated.tables()) == 3)
  }

  @Test func `only what the processor can run is offered`() {
    for arithmetic in BatchArithmetic.allCases {
      for curve in SignatureCurve.allCases {
        let tables = BaseTables(curve: curve, arithmetic: arithmetic, width: 4)
        #expect((tables != nil) == arithmetic.isSupported)
      }
    }
    #expect(BatchArithmetic.portable.isSupported)
    #expect(BatchArithmetic.best.isSupported)
    #expect(BatchArithmetic.best != .emulated)
  }

  @Test(arguments: TestEngine.supported)
  func `arenas are a few megabytes`(engine: TestEngine) throws {
    let tables = try engine.tables()
    #expect(tables.leastArenaBytesForKeys < 4 << 20)
    #expect(tables.bestArenaBytes <= 16 << 20)
  }

  @Test func `more signatures take wider tables`() {
    for curve in SignatureCurve.allCases {
      for arithmetic in BatchArithmetic.allCases where arithmetic.isSupported {
        let methods = [1, 2, 50, 200, 100_000].map {
          KeyMethod.automatic(curve, arithmetic, signatures: $0)
        }
        #expect(methods[0] == .doublings && methods[1] == .buckets)
        let widths = methods.map { if case .table(let width) = $0 { width } else { 0 } }
        #expect(widths == widths.sorted() && widths[4] > widths[2])
      }
    }
  }
}
