import Minting
import SignatureBatch
import TestSupport

/// Makes signatures of which a part is mutated, from a seed.
struct CaseMaker: ~Copyable {
  var random: Generator
  let curve: SignatureCurve
  private let signer: MintingSigner

  init(_ curve: SignatureCurve, seed: UInt64) throws {
    random = Generator(seed)
    self.curve = curve
    signer = MintingSigner(curve == .p256 ? .p256 : .p384)
  }

  /// A batch of about `count` signatures, half of them mutated, of keys with up to `mostPerKey`.
  mutating func batch(of count: Int, mostPerKey: Int) throws -> TestBatch {
    var batch = TestBatch(curve)
    while batch.expected.count < count {
      let secret = secret()
      var key = Array(signer.publicPoint(of: secret).dropFirst())
      if random.once(in: 40) { key[Int.random(in: 0..<curve.keyBytes, using: &random)] ^= 1 }
      batch.add(key: key)
      let most = random.once(in: 2) ? min(mostPerKey, 4) : mostPerKey
      let signatures = Int.random(in: 0...min(most, count - batch.expected.count), using: &random)
      for _ in 0..<signatures {
        var digest = digest()
        var signature = signer.sign(digest, secret: secret)
        if random.once(in: 2) { try mutate(&signature, &digest, secret: secret) }
        batch.add(r: signature.r, s: signature.s, digest: digest)
      }
    }
    return batch
  }

  /// Any secret, or a small one: keys that are small multiples of G meet its table.
  private mutating func secret() -> [UInt8] {
    guard random.once(in: 8) else { return number() }
    let small = TestNumber(UInt64.random(in: 1...20, using: &random), mod: curve.order)
    return (random.once(in: 2) ? small : -small).bytes
  }

  private mutating func mutate(
    _ signature: inout MintedSignature, _ digest: inout [UInt8], secret: [UInt8]
  ) throws {
    let index = Int.random(in: 0..<curve.numberBytes, using: &random)
    let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0: signature.r[index] ^= bit
    case 1: signature.s[index] ^= bit
    case 2: digest[index] ^= bit
    case 3: signature.r = edge()
    case 4: signature.s = edge()
    case 5: digest = edge()
    case 6: signature.s = signer.negated(signature.s)
    case 7: signature = signer.sign(digest, secret: self.secret())
    case 8:
      digest = edge()
      signature = signer.sign(digest, secret: secret)
    case 9: swap(&signature.r, &signature.s)
    case 10:
      signature.r = small()
      signature.s = small()
    default:
      let made = try crafted(secret: secret, u1: smallScalar(), u2: smallScalar())
      if let made { (signature, digest) = made }
    }
  }

  /// A valid signature with chosen u1 and u2: R = (u1 + u2 secret) G, r = x(R), s = r / u2,
  /// digest = u1 s. Nil where R would be at infinity.
  mutating func crafted(
    secret: [UInt8], u1: TestNumber, u2: TestNumber
  ) throws -> (MintedSignature, [UInt8])? {
    let sum = u1 + u2 * TestNumber(bytes: secret, mod: curve.order)
    guard !sum.isZero, !u2.isZero else { return nil }
    let x = signer.publicPoint(of: sum.bytes)[1...curve.numberBytes]
    let r = TestNumber(bytes: x, mod: curve.order)
    let s = r * u2.inverse
    return (MintedSignature(r: r.bytes, s: s.bytes), (u1 * s).bytes)
  }

  /// The bytes of a secret's key.
  func key(of secret: [UInt8]) throws -> [UInt8] {
    Array(signer.publicPoint(of: secret).dropFirst())
  }

  /// A number of the curve's length.
  mutating func number() -> [UInt8] { random.bytes(curve.numberBytes) }

  /// A digest, or one of SHA-256 where the curve takes more.
  private mutating func digest() -> [UInt8] {
    var digest = number()
    if random.once(in: 2) {
      for index in 0..<(curve.numberBytes - 32) { digest[index] = 0 }
    }
    return digest
  }

  /// 0, n, p, the highest number and the numbers beside them.
  private mutating func edge() -> [UInt8] {
    let zero = TestNumber.Words(repeating: 0, count: curve.order.count)
    let bases = [zero, curve.order, curve.prime, zero.map { ~$0 }]
    let offset = [UInt64.random(in: 0...2, using: &random)] + zero.dropFirst()
    let base = bases.randomElement(using: &random)!
    return TestNumber.bytes(
      of: random.once(in: 2)
        ? TestNumber.difference(base, offset) : TestNumber.sum(base, offset).0)
  }

  private mutating func small() -> [UInt8] {
    [UInt8](repeating: 0, count: curve.numberBytes - 1) + [UInt8.random(in: 1...5, using: &random)]
  }

  /// A scalar with few bits, somewhere, of either sign.
  private mutating func smallScalar() -> TestNumber {
    let word = UInt64.random(in: 1...40, using: &random)
    let shift = TestNumber.powerOfTwo(
      Int.random(in: 0..<curve.bitCount - 60, using: &random), mod: curve.order)
    let scalar = TestNumber(word, mod: curve.order) * shift
    return random.once(in: 2) ? scalar : -scalar
  }
}
