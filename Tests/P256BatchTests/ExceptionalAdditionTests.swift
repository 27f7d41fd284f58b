import OpenSSL
import P256Batch
import Testing

/// Valid signatures that a key's owner makes so that an addition on the way is of a point and itself,
/// or of a point and its negative. They may be left undecided and must never be refused.
struct ExceptionalAdditionTests {
  /// Bits of a digit of the base point here; see `P256Kernel.verifier`.
  private static let baseWidth = 6

  /// The odd signed digits of an odd scalar, as the kernels take them.
  private static func digits(_ scalar: TestNumber, width: Int) -> [Int] {
    let count = (256 + width - 1) / width
    // Bit i of (scalar - 1) / 2 + 2^(width count - 1).
    func bit(_ index: Int) -> Bool {
      index == width * count - 1 || (index < 255 && scalar.bit(index + 1))
    }
    return (0..<count).map { digit in
      let slice = (0..<width).reduce(0) { $0 | (bit(width * digit + $1) ? 1 << $1 : 0) }
      return 2 * slice - (1 << width - 1)
    }
  }

  private static func number(_ value: Int) -> TestNumber {
    let magnitude = TestNumber(UInt64(value.magnitude), mod: TestNumber.order)
    return value < 0 ? -magnitude : magnitude
  }

  /// digit 2^(width index) mod n.
  private static func term(_ digits: [Int], _ index: Int, width: Int) -> TestNumber {
    number(digits[index]) * TestNumber.powerOfTwo(width * index, mod: TestNumber.order)
  }

  /// u1 and u2 for which, in the additions of G's multiples, the sum before that of digit `index` is
  /// that multiple, or its negative.
  private static func scalars(
    secret: TestNumber, index: Int, opposite: Bool, _ random: inout TestRandom
  ) -> (u1: TestNumber, u2: TestNumber) {
    var u1 = TestNumber(bytes: random.bytes(32), mod: TestNumber.order)
    if !u1.isOdd { u1 = -u1 }
    let digits = digits(u1, width: baseWidth)
    let terms = (0...index).map { term(digits, $0, width: baseWidth) }
    let before = terms.dropLast().reduce(TestNumber(0, mod: TestNumber.order), +)
    let goal = opposite ? -terms[index] : terms[index]
    return (u1, (goal - before) * secret.inverse)
  }

  @Test(arguments: P256Kernel.supported)
  func `a sum that meets a multiple of the base point is left undecided`(
    kernel: P256Kernel
  ) throws {
    var maker = try CaseMaker(seed: 3)
    var batch = TestBatch()
    var crafted = 0
    for round in 0..<3 {
      let secret = maker.random.bytes(32)
      batch.add(key: try maker.key(of: secret))
      for index in [0, 1, 20, 41, 42] {
        let opposite = (index + round) % 2 == 1 && index < 42
        let (u1, u2) = Self.scalars(
          secret: TestNumber(bytes: secret, mod: TestNumber.order), index: index,
          opposite: opposite, &maker.random)
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
    var verifier = try kernel.verifier(width: Self.baseWidth)
    for method in P256Method.tested(kernel) {
      #expect(batch.check(&verifier, method: method) == crafted, "\(method)")
    }
  }

  @Test(arguments: P256Kernel.supported)
  func `the last multiple of the key can meet its like`(kernel: P256Kernel) throws {
    var maker = try CaseMaker(seed: 4)
    var verifier = try kernel.verifier()
    for width in 3...9 {
      let place = width * ((256 + width - 1) / width - 1)
      // The odd q below n / 2^place for which n - q 2^place is below 2^place.
      let top = place == 255 ? 1 : place == 252 ? 15 : 255
      let u2 = Self.number(2 * top) * TestNumber.powerOfTwo(place, mod: TestNumber.order)
      let u1 = TestNumber(bytes: maker.random.bytes(32), mod: TestNumber.order)
      let secret = maker.random.bytes(32)
      var batch = TestBatch()
      batch.add(key: try maker.key(of: secret))
      let (signature, digest) = try #require(try maker.crafted(secret: secret, u1: u1, u2: u2))
      for _ in 0..<3 { batch.add(r: signature.r, s: signature.s, digest: digest) }
      #expect(batch.check(&verifier, method: .table(width: width)) == 3, "\(width)")
    }
  }

  @Test(arguments: P256Kernel.supported, [false, true])
  func `what fills an empty bucket can meet the sum of the others`(
    kernel: P256Kernel, opposite: Bool
  ) throws {
    var maker = try CaseMaker(seed: 5)
    // All digits are 15 or -15: only the last bucket gets entries, and the one before gets 13 G.
    var sum = TestNumber.powerOfTwo(252, mod: TestNumber.order)
    for index in 0..<63 {
      let power = TestNumber.powerOfTwo(4 * index, mod: TestNumber.order)
      sum = index == 62 || maker.random.once(in: 2) ? sum - power : sum + power
    }
    let secret = (Self.number(opposite ? -13 : 13) * sum.inverse).bytes
    let u1 = TestNumber(bytes: maker.random.bytes(32), mod: TestNumber.order)
    var batch = TestBatch()
    batch.add(key: try maker.key(of: secret))
    let (signature, digest) = try #require(
      try maker.crafted(secret: secret, u1: u1, u2: Self.number(15) * sum))
    batch.add(r: signature.r, s: signature.s, digest: digest)
    #expect(batch.expected == [true])
    // The same with another key: an empty bucket by itself is no exception.
    let other = maker.random.bytes(32)
    batch.add(key: try maker.key(of: other))
    let good = try #require(
      try maker.crafted(secret: other, u1: u1, u2: Self.number(15) * sum))
    batch.add(r: good.0.r, s: good.0.s, digest: good.1)
    var verifier = try kernel.verifier()
    #expect(batch.verdicts(&verifier, method: .buckets) == [.undecided, .valid])
  }

  @Test(arguments: P256Kernel.supported)
  func `a digest of 0, or n, is judged`(kernel: P256Kernel) throws {
    var maker = try CaseMaker(seed: 6)
    let signer = try MintingSigner(.p256)
    var batch = TestBatch()
    let secret = maker.random.bytes(32)
    batch.add(key: try maker.key(of: secret))
    for digest in [[UInt8](repeating: 0, count: 32), TestNumber.order.bytes] {
      let signature = try signer.sign(digest, secret: secret)
      batch.add(r: signature.r, s: signature.s, digest: digest)
      batch.add(r: signature.s, s: signature.r, digest: digest)
    }
    #expect(batch.expected == [true, false, true, false])
    var verifier = try kernel.verifier()
    for method in P256Method.tested(kernel) {
      #expect(batch.check(&verifier, method: method) == 0)
    }
  }
}
