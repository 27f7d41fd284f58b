import CP256BatchTesting
import Testing

/// The kernels' arithmetic against `TestNumber`.
struct ArithmeticTests {
  typealias Operation = (
    UInt32, UnsafePointer<UInt8>, UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>
  )
    -> Void

  /// Numbers at the edges of words, limbs and modulus, and random ones.
  private static func numbers(mod modulus: TestNumber.Words) -> [TestNumber] {
    let zero = TestNumber(0, mod: modulus)
    let one = TestNumber(1, mod: modulus)
    var numbers = [zero, one, zero - one, one + one, zero - one - one]
    for bit in [51, 52, 63, 64, 96, 104, 127, 128, 156, 192, 208, 224, 255] {
      let power = TestNumber.powerOfTwo(bit, mod: modulus)
      numbers += [power, power - one, -power]
    }
    var random = TestRandom(seed: 7)
    for _ in 0..<20 { numbers.append(TestNumber(bytes: random.bytes(32), mod: modulus)) }
    return numbers
  }

  /// Calls an operation on one or eight pairs of numbers.
  private func call(
    _ operation: Operation, _ code: p256_testing_operation, _ left: [TestNumber],
    _ right: [TestNumber]
  ) -> [[UInt8]] {
    let left = left.flatMap(\.bytes)
    let right = right.flatMap(\.bytes)
    var result = [UInt8](repeating: 0, count: left.count)
    unsafe operation(code.rawValue, left, right, &result)
    return stride(from: 0, to: result.count, by: 32).map { Array(result[$0..<$0 + 32]) }
  }

  /// Checks an operation on all pairs of numbers, `lanes` at a time.
  private func check(
    _ operation: Operation, _ code: p256_testing_operation, mod modulus: TestNumber.Words,
    lanes: Int,
    _ expected: (TestNumber, TestNumber) -> TestNumber
  ) {
    let numbers = Self.numbers(mod: modulus)
    for (index, left) in numbers.enumerated() {
      // Each number beside others in the lanes; the first is what is looked at, and the rest too.
      for start in stride(from: index % 3, to: numbers.count, by: 3) {
        let lefts = (0..<lanes).map { $0 == 0 ? left : numbers[(index + 5 * $0) % numbers.count] }
        let rights = (0..<lanes).map { numbers[(start + $0) % numbers.count] }
        let results = unsafe call(operation, code, lefts, rights)
        for lane in 0..<lanes {
          #expect(
            results[lane] == expected(lefts[lane], rights[lane]).bytes,
            "\(code) of \(lefts[lane].bytes), \(rights[lane].bytes)")
        }
        if lanes > 1 { break }
      }
    }
  }

  /// Checks inverses of all numbers but 0.
  private func checkInverses(_ operation: Operation, mod modulus: TestNumber.Words, lanes: Int) {
    let numbers = Self.numbers(mod: modulus).filter { !$0.isZero }
    for start in stride(from: 0, to: numbers.count, by: lanes) {
      let part = (0..<lanes).map { numbers[(start + $0) % numbers.count] }
      let results = unsafe call(operation, P256_TESTING_INVERT, part, part)
      for lane in 0..<lanes {
        let product = part[lane] * TestNumber(bytes: results[lane], mod: modulus)
        #expect(product == TestNumber(1, mod: modulus), "inverse of \(part[lane].bytes)")
      }
    }
  }

  @Test func `sums, differences and products mod p are right on four words`() {
    let field = unsafe p256_testing_field
    unsafe check(field, P256_TESTING_ADD, mod: TestNumber.prime, lanes: 1) { $0 + $1 }
    unsafe check(field, P256_TESTING_SUBTRACT, mod: TestNumber.prime, lanes: 1) { $0 - $1 }
    unsafe check(field, P256_TESTING_MULTIPLY, mod: TestNumber.prime, lanes: 1) { $0 * $1 }
    unsafe check(field, P256_TESTING_SQUARE, mod: TestNumber.prime, lanes: 1) { a, _ in a * a }
    unsafe checkInverses(field, mod: TestNumber.prime, lanes: 1)
  }

  @Test func `products and inverses mod n are right on four words`() {
    let order = unsafe p256_testing_order
    unsafe check(order, P256_TESTING_MULTIPLY, mod: TestNumber.order, lanes: 1) { $0 * $1 }
    unsafe checkInverses(order, mod: TestNumber.order, lanes: 1)
  }

  @Test func `sums, differences and products mod p are right on eight lanes`() {
    let field = unsafe p256_testing_field8
    unsafe check(field, P256_TESTING_ADD, mod: TestNumber.prime, lanes: 8) { $0 + $1 }
    unsafe check(field, P256_TESTING_SUBTRACT, mod: TestNumber.prime, lanes: 8) { $0 - $1 }
    unsafe check(field, P256_TESTING_MULTIPLY, mod: TestNumber.prime, lanes: 8) { $0 * $1 }
    unsafe check(field, P256_TESTING_SQUARE, mod: TestNumber.prime, lanes: 8) { a, _ in a * a }
    unsafe checkInverses(field, mod: TestNumber.prime, lanes: 8)
  }

  @Test func `products and inverses mod n are right on eight lanes`() {
    let order = unsafe p256_testing_order8
    unsafe check(order, P256_TESTING_MULTIPLY, mod: TestNumber.order, lanes: 8) { $0 * $1 }
    unsafe checkInverses(order, mod: TestNumber.order, lanes: 8)
  }
}
