import CSignatureBatchTesting
import SignatureBatch
import TestSupport
import Testing

/// The arithmetics against `TestNumber`.
struct ArithmeticTests {
  /// Returns numbers at the edges of words, limbs and modulus, and random ones.
  private static func numbers(mod modulus: TestNumber.Words) -> [TestNumber] {
    let zero = TestNumber(0, mod: modulus)
    let one = TestNumber(1, mod: modulus)
    var numbers = [zero, one, zero - one, one + one, zero - one - one]
    for bit in [
      51, 52, 63, 64, 96, 104, 127, 128, 156, 192, 208, 224, 255, 260, 312, 320, 364, 383,
    ]
    where bit < 64 * modulus.count {
      let power = TestNumber.powerOfTwo(bit, mod: modulus)
      numbers += [power, power - one, -power]
    }
    var random = Generator(7)
    for _ in 0..<20 {
      numbers.append(TestNumber(bytes: random.bytes(8 * modulus.count), mod: modulus))
    }
    return numbers
  }

  /// Arithmetic mod p or n of a curve, on words or on eight lanes.
  private struct Arithmetic {
    var curve: SignatureCurve
    var code: sb_testing_arithmetic

    var modulus: TestNumber.Words {
      code == SB_TESTING_FIELD || code == SB_TESTING_FIELD8 ? curve.prime : curve.order
    }

    /// The number of numbers that it takes at once.
    var lanes: Int { code == SB_TESTING_FIELD || code == SB_TESTING_ORDER ? 1 : 8 }

    /// Calls an operation on one or eight pairs of numbers.
    func call(
      _ operation: sb_testing_operation, _ left: [TestNumber], _ right: [TestNumber]
    ) -> [[UInt8]] {
      let left = left.flatMap(\.bytes)
      let right = right.flatMap(\.bytes)
      var result = [UInt8](repeating: 0, count: left.count)
      switch curve {
      case .p256: unsafe sb_testing_p256(code.rawValue, operation.rawValue, left, right, &result)
      case .p384: unsafe sb_testing_p384(code.rawValue, operation.rawValue, left, right, &result)
      }
      return stride(from: 0, to: result.count, by: curve.numberBytes).map {
        Array(result[$0..<$0 + curve.numberBytes])
      }
    }
  }

  /// Checks an operation on pairs of numbers.
  private func check(
    _ arithmetic: Arithmetic, _ operation: sb_testing_operation,
    _ expected: (TestNumber, TestNumber) -> TestNumber
  ) {
    let numbers = Self.numbers(mod: arithmetic.modulus)
    let lanes = arithmetic.lanes
    for (index, left) in numbers.enumerated() {
      // Each number beside others in the lanes; the first is what is examined, and the rest too.
      for start in stride(from: index % 9, to: numbers.count, by: 9) {
        let lefts = (0..<lanes).map { $0 == 0 ? left : numbers[(index + 5 * $0) % numbers.count] }
        let rights = (0..<lanes).map { numbers[(start + $0) % numbers.count] }
        let results = arithmetic.call(operation, lefts, rights)
        for lane in 0..<lanes {
          #expect(
            results[lane] == expected(lefts[lane], rights[lane]).bytes,
            "\(operation) of \(lefts[lane].bytes), \(rights[lane].bytes)")
        }
        if lanes > 1 { break }
      }
    }
  }

  /// Checks inverses of all numbers but 0.
  private func checkInverses(_ arithmetic: Arithmetic) {
    let modulus = arithmetic.modulus
    let numbers = Self.numbers(mod: modulus).filter { !$0.isZero }
    for start in stride(from: 0, to: numbers.count, by: arithmetic.lanes) {
      let part = (0..<arithmetic.lanes).map { numbers[(start + $0) % numbers.count] }
      let results = arithmetic.call(SB_TESTING_INVERT, part, part)
      for lane in part.indices {
        let product = part[lane] * TestNumber(bytes: results[lane], mod: modulus)
        #expect(product == TestNumber(1, mod: modulus), "inverse of \(part[lane].bytes)")
      }
    }
  }

  private func checkField(_ arithmetic: Arithmetic) {
    check(arithmetic, SB_TESTING_ADD) { $0 + $1 }
    check(arithmetic, SB_TESTING_SUBTRACT) { $0 - $1 }
    check(arithmetic, SB_TESTING_MULTIPLY) { $0 * $1 }
    check(arithmetic, SB_TESTING_SQUARE) { number, _ in number * number }
    checkInverses(arithmetic)
  }

  private func checkOrder(_ arithmetic: Arithmetic) {
    check(arithmetic, SB_TESTING_MULTIPLY) { $0 * $1 }
    checkInverses(arithmetic)
  }

  @Test(arguments: SignatureCurve.allCases)
  func `sums, differences, products and inverses mod p are right on words`(
    curve: SignatureCurve
  ) {
    checkField(Arithmetic(curve: curve, code: SB_TESTING_FIELD))
  }

  @Test(arguments: SignatureCurve.allCases)
  func `products and inverses mod n are right on words`(curve: SignatureCurve) {
    checkOrder(Arithmetic(curve: curve, code: SB_TESTING_ORDER))
  }

  @Test(arguments: SignatureCurve.allCases)
  func `sums, differences, products and inverses mod p are right on eight lanes`(
    curve: SignatureCurve
  ) {
    checkField(Arithmetic(curve: curve, code: SB_TESTING_FIELD8))
  }

  @Test(arguments: SignatureCurve.allCases)
  func `products and inverses mod n are right on eight lanes`(curve: SignatureCurve) {
    checkOrder(Arithmetic(curve: curve, code: SB_TESTING_ORDER8))
  }
}
