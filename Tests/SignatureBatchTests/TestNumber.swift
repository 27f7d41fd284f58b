import SignatureBatch

/// Whole numbers below a modulus of 256 or 384 bits, by the plainest means: what the arithmetics are
/// compared with.
struct TestNumber: Equatable {
  /// Words of 64 bits, the least significant first.
  typealias Words = [UInt64]

  private(set) var words: Words
  let modulus: Words

  /// Reduces words of any value, for a modulus above half of what its words can hold.
  init(_ words: Words, mod modulus: Words) {
    self.modulus = modulus
    self.words = Self.isBelow(words, modulus) ? words : Self.difference(words, modulus)
  }

  init(_ small: UInt64, mod modulus: Words) {
    self.init([small] + Words(repeating: 0, count: modulus.count - 1), mod: modulus)
  }

  /// The modulus' number of bytes, the most significant first.
  init(bytes: some Collection<UInt8>, mod modulus: Words) {
    self.init(Self.words(of: bytes), mod: modulus)
  }

  static func words(of bytes: some Collection<UInt8>) -> Words {
    let bytes = Array(bytes.reversed())
    return stride(from: 0, to: bytes.count, by: 8).map { start in
      bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  /// The bytes of words, the most significant first.
  static func bytes(of words: Words) -> [UInt8] {
    words.reversed().flatMap { word in
      (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) }
    }
  }

  var bytes: [UInt8] { Self.bytes(of: words) }
  var isZero: Bool { words.allSatisfy { $0 == 0 } }
  var isOdd: Bool { words[0] & 1 == 1 }

  /// Bit `index`, 0 the least significant; 0 beyond the words.
  func bit(_ index: Int) -> Bool {
    index / 64 < words.count && words[index / 64] >> UInt64(index % 64) & 1 == 1
  }

  static func isBelow(_ left: Words, _ right: Words) -> Bool {
    for index in left.indices.reversed() where left[index] != right[index] {
      return left[index] < right[index]
    }
    return false
  }

  /// left + right, and the carry.
  static func sum(_ left: Words, _ right: Words) -> (Words, carry: Bool) {
    var carry = false
    let words = zip(left, right).map { left, right in
      let (sum, over) = left.addingReportingOverflow(right)
      let (result, overAgain) = sum.addingReportingOverflow(carry ? 1 : 0)
      carry = over || overAgain
      return result
    }
    return (words, carry)
  }

  /// left - right without the borrow: left + not right + 1.
  static func difference(_ left: Words, _ right: Words) -> Words {
    let one = [1] + Words(repeating: 0, count: left.count - 1)
    return sum(sum(left, right.map { ~$0 }).0, one).0
  }

  /// Half of the number, with `carry` for the highest bit.
  private static func half(_ words: Words, carry: Bool) -> Words {
    words.indices.map { index in
      let above = index + 1 < words.count ? words[index + 1] : carry ? 1 : 0
      return words[index] >> 1 | above << 63
    }
  }

  static func + (left: TestNumber, right: TestNumber) -> TestNumber {
    let (sum, carry) = sum(left.words, right.words)
    return TestNumber(carry ? difference(sum, left.modulus) : sum, mod: left.modulus)
  }

  static prefix func - (number: TestNumber) -> TestNumber {
    TestNumber(difference(number.modulus, number.words), mod: number.modulus)
  }

  static func - (left: TestNumber, right: TestNumber) -> TestNumber {
    left + -right
  }

  static func * (left: TestNumber, right: TestNumber) -> TestNumber {
    var result = TestNumber(0, mod: left.modulus)
    for index in (0..<64 * left.words.count).reversed() {
      result = result + result
      if right.bit(index) { result = result + left }
    }
    return result
  }

  /// 1 / self by the binary form of Euclid's algorithm, for an odd modulus; self is not 0.
  var inverse: TestNumber {
    var (u, v) = (words, modulus)
    var (x, y) = (TestNumber(1, mod: modulus), TestNumber(0, mod: modulus))
    let one = x.words
    // x self = u and y self = v, mod the modulus.
    while u != one, v != one {
      while u[0] & 1 == 0 { (u, x) = (Self.half(u, carry: false), x.half) }
      while v[0] & 1 == 0 { (v, y) = (Self.half(v, carry: false), y.half) }
      if Self.isBelow(u, v) {
        (v, y) = (Self.difference(v, u), y - x)
      } else {
        (u, x) = (Self.difference(u, v), x - y)
      }
    }
    return u == one ? x : y
  }

  /// self / 2, for an odd modulus.
  private var half: TestNumber {
    let (even, carry) = isOdd ? Self.sum(words, modulus) : (words, false)
    return TestNumber(Self.half(even, carry: carry), mod: modulus)
  }

  /// 2^exponent.
  static func powerOfTwo(_ exponent: Int, mod modulus: Words) -> TestNumber {
    var result = TestNumber(1, mod: modulus)
    for _ in 0..<exponent { result = result + result }
    return result
  }
}

extension SignatureCurve {
  /// The modulus of the coordinates.
  var prime: TestNumber.Words {
    switch self {
    case .p256: [.max, 0x0000_0000_FFFF_FFFF, 0, 0xFFFF_FFFF_0000_0001]
    case .p384:
      [0x0000_0000_FFFF_FFFF, 0xFFFF_FFFF_0000_0000, 0xFFFF_FFFF_FFFF_FFFE, .max, .max, .max]
    }
  }

  /// The order of the base point.
  var order: TestNumber.Words {
    switch self {
    case .p256:
      [
        0xF3B9_CAC2_FC63_2551, 0xBCE6_FAAD_A717_9E84, 0xFFFF_FFFF_FFFF_FFFF,
        0xFFFF_FFFF_0000_0000,
      ]
    case .p384:
      [
        0xECEC_196A_CCC5_2973, 0x581A_0DB2_48B0_A77A, 0xC763_4D81_F437_2DDF, .max, .max, .max,
      ]
    }
  }

  var bitCount: Int { 8 * numberBytes }
}
