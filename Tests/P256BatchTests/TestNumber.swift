/// Whole numbers below a modulus of 256 bits, by the plainest means: what the kernels' arithmetic is
/// compared with.
struct TestNumber: Equatable {
  /// 256 bits, the most significant word first.
  struct Words: Equatable {
    var first: UInt64 = 0
    var second: UInt64 = 0
    var third: UInt64 = 0
    var fourth: UInt64 = 0

    static let zero = Words()

    static func < (left: Words, right: Words) -> Bool {
      if left.first != right.first { return left.first < right.first }
      if left.second != right.second { return left.second < right.second }
      if left.third != right.third { return left.third < right.third }
      return left.fourth < right.fourth
    }

    /// left + right mod 2^256, and the carry.
    static func sum(_ left: Words, _ right: Words) -> (Words, carry: Bool) {
      var carry = false
      func add(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let (sum, over) = left.addingReportingOverflow(right)
        let (result, overAgain) = sum.addingReportingOverflow(carry ? 1 : 0)
        carry = over || overAgain
        return result
      }
      var result = Words()
      result.fourth = add(left.fourth, right.fourth)
      result.third = add(left.third, right.third)
      result.second = add(left.second, right.second)
      result.first = add(left.first, right.first)
      return (result, carry)
    }

    /// left - right mod 2^256: left + not right + 1.
    static func - (left: Words, right: Words) -> Words {
      let inverted = Words(
        first: ~right.first, second: ~right.second, third: ~right.third, fourth: ~right.fourth)
      return sum(sum(left, inverted).0, Words(fourth: 1)).0
    }

    /// Half of the number, with `carry` for the highest bit.
    func half(carry: Bool) -> Words {
      Words(
        first: first >> 1 | (carry ? 1 << 63 : 0), second: second >> 1 | first << 63,
        third: third >> 1 | second << 63, fourth: fourth >> 1 | third << 63)
    }

    /// 32 bytes, the most significant first.
    var bytes: [UInt8] {
      [first, second, third, fourth].flatMap { word in
        (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
      }
    }
  }

  private(set) var words: Words
  let modulus: Words

  static let prime = Words(
    first: 0xFFFF_FFFF_0000_0001, third: 0x0000_0000_FFFF_FFFF, fourth: 0xFFFF_FFFF_FFFF_FFFF)
  static let order = Words(
    first: 0xFFFF_FFFF_0000_0000, second: 0xFFFF_FFFF_FFFF_FFFF, third: 0xBCE6_FAAD_A717_9E84,
    fourth: 0xF3B9_CAC2_FC63_2551)

  /// Reduces words of any value, for a modulus above 2^255.
  init(_ words: Words, mod modulus: Words) {
    self.modulus = modulus
    self.words = words < modulus ? words : words - modulus
  }

  init(_ small: UInt64, mod modulus: Words) {
    self.init(Words(fourth: small), mod: modulus)
  }

  /// 32 bytes, the most significant first.
  init(bytes: some Collection<UInt8>, mod modulus: Words) {
    let bytes = Array(bytes)
    func word(_ index: Int) -> UInt64 {
      bytes[8 * index..<8 * index + 8].reduce(0) { $0 << 8 | UInt64($1) }
    }
    self.init(
      Words(first: word(0), second: word(1), third: word(2), fourth: word(3)), mod: modulus)
  }

  var bytes: [UInt8] { words.bytes }
  var isZero: Bool { words == .zero }
  var isOdd: Bool { words.fourth & 1 == 1 }

  /// Bit `index`, 0 the least significant.
  func bit(_ index: Int) -> Bool {
    let word =
      switch index / 64 {
      case 0: words.fourth
      case 1: words.third
      case 2: words.second
      default: words.first
      }
    return word >> UInt64(index % 64) & 1 == 1
  }

  static func + (left: TestNumber, right: TestNumber) -> TestNumber {
    let (sum, carry) = Words.sum(left.words, right.words)
    return TestNumber(carry ? sum - left.modulus : sum, mod: left.modulus)
  }

  static prefix func - (number: TestNumber) -> TestNumber {
    TestNumber(number.modulus - number.words, mod: number.modulus)
  }

  static func - (left: TestNumber, right: TestNumber) -> TestNumber {
    left + -right
  }

  static func * (left: TestNumber, right: TestNumber) -> TestNumber {
    var result = TestNumber(0, mod: left.modulus)
    for index in (0..<256).reversed() {
      result = result + result
      if right.bit(index) { result = result + left }
    }
    return result
  }

  /// 1 / self by the binary form of Euclid's algorithm, for an odd modulus; self is not 0.
  var inverse: TestNumber {
    var (u, v) = (words, modulus)
    var (x, y) = (TestNumber(1, mod: modulus), TestNumber(0, mod: modulus))
    let one = Words(fourth: 1)
    // x self = u and y self = v, mod the modulus.
    while u != one, v != one {
      while u.fourth & 1 == 0 { (u, x) = (u.half(carry: false), x.half) }
      while v.fourth & 1 == 0 { (v, y) = (v.half(carry: false), y.half) }
      if u < v { (v, y) = (v - u, y - x) } else { (u, x) = (u - v, x - y) }
    }
    return u == one ? x : y
  }

  /// self / 2, for an odd modulus.
  private var half: TestNumber {
    let (even, carry) = isOdd ? Words.sum(words, modulus) : (words, false)
    return TestNumber(even.half(carry: carry), mod: modulus)
  }

  /// 2^exponent.
  static func powerOfTwo(_ exponent: Int, mod modulus: Words) -> TestNumber {
    var result = TestNumber(1, mod: modulus)
    for _ in 0..<exponent { result = result + result }
    return result
  }
}
