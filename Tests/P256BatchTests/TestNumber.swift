/// Whole numbers below a modulus of 256 bits, by the plainest means: what the kernels' arithmetic is
/// compared with.
struct TestNumber: Equatable {
  /// The most significant word first.
  var words: [UInt64]
  let modulus: [UInt64]

  static let prime: [UInt64] = [
    0xFFFF_FFFF_0000_0001, 0, 0x0000_0000_FFFF_FFFF, 0xFFFF_FFFF_FFFF_FFFF,
  ]
  static let order: [UInt64] = [
    0xFFFF_FFFF_0000_0000, 0xFFFF_FFFF_FFFF_FFFF, 0xBCE6_FAAD_A717_9E84, 0xF3B9_CAC2_FC63_2551,
  ]

  /// Reduces words of any value, for a modulus above 2^255.
  init(_ words: [UInt64], mod modulus: [UInt64]) {
    self.modulus = modulus
    self.words = Self.isBelow(words, modulus) ? words : Self.difference(words, modulus)
  }

  init(_ small: UInt64, mod modulus: [UInt64]) {
    self.init([0, 0, 0, small], mod: modulus)
  }

  /// 32 bytes, the most significant first.
  init(bytes: some Collection<UInt8>, mod modulus: [UInt64]) {
    let bytes = Array(bytes)
    let words = stride(from: 0, to: 32, by: 8).map { start in
      bytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    self.init(words, mod: modulus)
  }

  var bytes: [UInt8] { Self.bytes(words) }
  var isZero: Bool { words.allSatisfy { $0 == 0 } }
  var isOdd: Bool { words[3] & 1 == 1 }

  /// Bit `index`, 0 the least significant.
  func bit(_ index: Int) -> Bool {
    words[3 - index / 64] >> UInt64(index % 64) & 1 == 1
  }

  static func bytes(_ words: [UInt64]) -> [UInt8] {
    words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
  }

  static func isBelow(_ left: [UInt64], _ right: [UInt64]) -> Bool {
    left.lexicographicallyPrecedes(right)
  }

  /// left - right mod 2^256.
  static func difference(_ left: [UInt64], _ right: [UInt64]) -> [UInt64] {
    var result = left
    var borrow: UInt64 = 0
    for index in (0..<4).reversed() {
      let (first, under) = left[index].subtractingReportingOverflow(right[index])
      let (second, underAgain) = first.subtractingReportingOverflow(borrow)
      result[index] = second
      borrow = under || underAgain ? 1 : 0
    }
    return result
  }

  static func + (left: TestNumber, right: TestNumber) -> TestNumber {
    left - (-right)
  }

  static prefix func - (number: TestNumber) -> TestNumber {
    TestNumber(
      number.isZero ? number.words : difference(number.modulus, number.words), mod: number.modulus)
  }

  static func - (left: TestNumber, right: TestNumber) -> TestNumber {
    var words = difference(left.words, right.words)
    if isBelow(left.words, right.words) {
      // Minus the difference, from the modulus.
      words = difference(left.modulus, difference(right.words, left.words))
    }
    return TestNumber(words, mod: left.modulus)
  }

  static func * (left: TestNumber, right: TestNumber) -> TestNumber {
    var result = TestNumber(0, mod: left.modulus)
    for index in (0..<256).reversed() {
      result = result + result
      if right.bit(index) { result = result + left }
    }
    return result
  }

  /// 1 / self: self^(modulus - 2), for a prime modulus.
  var inverse: TestNumber {
    let exponent = TestNumber(Self.difference(modulus, [0, 0, 0, 2]), mod: modulus)
    var result = TestNumber(1, mod: modulus)
    for index in (0..<256).reversed() {
      result = result * result
      if exponent.bit(index) { result = result * self }
    }
    return result
  }

  /// 2^exponent.
  static func powerOfTwo(_ exponent: Int, mod modulus: [UInt64]) -> TestNumber {
    var result = TestNumber(1, mod: modulus)
    for _ in 0..<exponent { result = result + result }
    return result
  }
}
