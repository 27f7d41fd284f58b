import Minting
import SignatureBatch
import TestSupport
import Testing

/// Valid signatures that a key's owner makes so that an addition on the way is of a point and itself,
/// or of a point and its negative. They may be left undecided and must never be refused.
struct ExceptionalAdditionTests {
  /// Bits of a digit of the base point here; see `TestEngine.verifier`.
  private static let baseWidth = 6

  /// Numbers mod the order of a curve.
  private struct Order {
    let curve: SignatureCurve

    init(_ curve: SignatureCurve) {
      self.curve = curve
    }

    func number(_ value: Int) -> TestNumber {
      let magnitude = TestNumber(UInt64(value.magnitude), mod: curve.order)
      return value < 0 ? -magnitude : magnitude
    }

    func powerOfTwo(_ exponent: Int) -> TestNumber {
      TestNumber.powerOfTwo(exponent, mod: curve.order)
    }

    /// The digits of a width.
    func digitCount(_ width: Int) -> Int { (curve.bitCount + width - 1) / width }

    /// The odd signed digits of an odd scalar, as the arithmetics take them.
    func digits(_ scalar: TestNumber, width: Int) -> [Int] {
      let count = digitCount(width)
      // Bit i of (scalar - 1) / 2 + 2^(width count - 1).
      func bit(_ index: Int) -> Bool { index == width * count - 1 || scalar.bit(index + 1) }
      return (0..<count).map { digit in
        let slice = (0..<width).reduce(0) { $0 | (bit(width * digit + $1) ? 1 << $1 : 0) }
        return 2 * slice - (1 << width - 1)
      }
    }

    /// digit 2^(width index) mod n.
    func term(_ digits: [Int], _ index: Int, width: Int) -> TestNumber {
      number(digits[index]) * powerOfTwo(width * index)
    }

    /// u1 and u2 for which, in the additions of G's multiples, the sum before that of digit `index`
    /// is that multiple, or its negative.
    func scalars(
      secret: TestNumber, index: Int, opposite: Bool, u1 random: [UInt8]
    ) -> (u1: TestNumber, u2: TestNumber) {
      var u1 = TestNumber(bytes: random, mod: curve.order)
      if !u1.isOdd { u1 = -u1 }
      let digits = digits(u1, width: baseWidth)
      let terms = (0...index).map { term(digits, $0, width: baseWidth) }
      let before = terms.dropLast().reduce(number(0), +)
      let goal = opposite ? -terms[index] : terms[index]
      return (u1, (goal - before) * secret.inverse)
    }
  }

  @Test(arguments: TestEngine.supported)
  func `a sum that meets a multiple of the base point is left undecided`(
    engine: TestEngine
  ) throws {
    var maker = try CaseMaker(engine.curve, seed: 3)
    var batch = TestBatch(engine.curve)
    let order = Order(engine.curve)
    let last = order.digitCount(Self.baseWidth) - 1
    var crafted = 0
    for round in 0..<3 {
      let secret = maker.number()
      batch.add(key: try maker.key(of: secret))
      for index in [0, 1, 20, last - 1, last] {
        let opposite = (index + round) % 2 == 1 && index < last
        let (u1, u2) = order.scalars(
          secret: TestNumber(bytes: secret, mod: engine.curve.order), index: index,
          opposite: opposite, u1: maker.number())
        let (signature, digest) = try #require(
          try maker.crafted(secret: secret, u1: u1, u2: u2))
        batch.add(r: signature.r, s: signature.s, digest: digest)
        #expect(batch.expected.last == true)
        crafted += 1
        // Next to it, one that holds and one that does not.
        let good = try #require(
          try maker.crafted(secret: secret, u1: u1, u2: u1))
        batch.add(r: good.0.r, s: good.0.s, digest: good.1)
        batch.add(r: good.0.r, s: good.0.r, digest: good.1)
      }
    }
    var verifier = try engine.verifier(width: Self.baseWidth)
    let base = try engine.tables(width: Self.baseWidth)
    // In another order of additions nothing exceptional need happen, but nothing is wrong.
    for method in engine.methods { batch.check(&verifier, method: method) }
    batch.checkByTables(&verifier, base)
    batch.fill()
    for method in engine.methods {
      #expect(batch.check(&verifier, method: method) == crafted, "\(method)")
    }
  }

  @Test(arguments: TestEngine.supported)
  func `the last multiple of the key can meet its like`(engine: TestEngine) throws {
    var maker = try CaseMaker(engine.curve, seed: 4)
    var verifier = try engine.verifier()
    let order = Order(engine.curve)
    for width in engine.arithmetic == .emulated ? 5...6 : 3...9 {
      let place = width * (order.digitCount(width) - 1)
      // The odd q below n / 2^place for which n - q 2^place is below 2^place.
      let top = 1 << (engine.curve.bitCount - place) - 1
      let u2 = order.number(2 * top) * order.powerOfTwo(place)
      let u1 = TestNumber(bytes: maker.number(), mod: engine.curve.order)
      let secret = maker.number()
      var batch = TestBatch(engine.curve)
      batch.add(key: try maker.key(of: secret))
      let (signature, digest) = try #require(try maker.crafted(secret: secret, u1: u1, u2: u2))
      for _ in 0..<3 { batch.add(r: signature.r, s: signature.s, digest: digest) }
      batch.check(&verifier, method: .table(width: width))
      batch.fill()
      #expect(batch.check(&verifier, method: .table(width: width)) == TestBatch.filled, "\(width)")
    }
  }

  @Test(arguments: TestEngine.supported, [false, true])
  func `what fills an empty bucket can meet the sum of the others`(
    engine: TestEngine, opposite: Bool
  ) throws {
    var maker = try CaseMaker(engine.curve, seed: 5)
    // All digits are 15 or -15: only the last bucket gets entries, and the one before gets 13 G.
    let order = Order(engine.curve)
    let last = order.digitCount(4) - 1
    var sum = order.powerOfTwo(4 * last)
    for index in 0..<last {
      let power = order.powerOfTwo(4 * index)
      sum = index == last - 1 || maker.random.once(in: 2) ? sum - power : sum + power
    }
    let secret = (order.number(opposite ? -13 : 13) * sum.inverse).bytes
    let u1 = TestNumber(bytes: maker.number(), mod: engine.curve.order)
    var batch = TestBatch(engine.curve)
    batch.add(key: try maker.key(of: secret))
    let (signature, digest) = try #require(
      try maker.crafted(secret: secret, u1: u1, u2: order.number(15) * sum))
    batch.add(r: signature.r, s: signature.s, digest: digest)
    #expect(batch.expected == [true])
    // The same with another key: an empty bucket by itself is no exception.
    let other = maker.number()
    batch.add(key: try maker.key(of: other))
    let good = try #require(
      try maker.crafted(secret: other, u1: u1, u2: order.number(15) * sum))
    batch.add(r: good.0.r, s: good.0.s, digest: good.1)
    var verifier = try engine.verifier()
    #expect(batch.verdicts(&verifier, method: .buckets) == [.undecided, .valid])
  }

  @Test(arguments: TestEngine.supported)
  func `a digest of 0, or n, is judged`(engine: TestEngine) throws {
    var maker = try CaseMaker(engine.curve, seed: 6)
    let signer = MintingSigner(engine.curve == .p256 ? .p256 : .p384)
    var batch = TestBatch(engine.curve)
    let secret = maker.number()
    batch.add(key: try maker.key(of: secret))
    for digest in [
      [UInt8](repeating: 0, count: engine.curve.numberBytes),
      TestNumber.bytes(of: engine.curve.order),
    ] {
      let signature = signer.sign(digest, secret: secret)
      batch.add(r: signature.r, s: signature.s, digest: digest)
      batch.add(r: signature.s, s: signature.r, digest: digest)
    }
    #expect(batch.expected == [true, false, true, false])
    var verifier = try engine.verifier()
    for method in engine.methods {
      #expect(batch.check(&verifier, method: method) == 0)
    }
  }
}
