/// A number of JSON (RFC 8259, section 6), digit by digit: 0.d₁d₂d₃… × 10^``point``.
struct DecimalNumber {
  private(set) var isNegative = false
  private(set) var point = 0
  /// The first digits after the zeros in front, and how many these are.
  private var digits: Int64 = 0
  private var count = 0
  /// Whether a digit other than 0 follows them.
  private var isCut = false

  /// The most digits that are kept, and the greatest exponent: no line has as many digits.
  private static let mostDigits = 18
  private static let mostExponent = 1_000_000_000_000

  /// Reads the number at a place and moves the place behind it. Gives nil if there is none.
  init?(_ text: Span<UInt8>, _ at: inout Int) {
    isNegative = Self.passes("-", text, &at)
    let start = at
    readDigits(text, &at)
    guard at == start + 1 || (at > start && text[start] != UInt8(ascii: "0")) else { return nil }
    point = count == 0 ? 0 : at - start
    if Self.passes(".", text, &at) {
      let first = at
      let zeros = readDigits(text, &at)
      guard at > first else { return nil }
      if point == 0 { point = -zeros }
    }
    guard Self.passes("e", text, &at) || Self.passes("E", text, &at) else { return }
    let isBelow = Self.passes("-", text, &at)
    if !isBelow { _ = Self.passes("+", text, &at) }
    let first = at
    var exponent = 0
    while at < text.count, text[at] &- UInt8(ascii: "0") <= 9 {
      exponent = min(exponent * 10 + Int(text[at] - UInt8(ascii: "0")), Self.mostExponent)
      at += 1
    }
    guard at > first else { return nil }
    point += isBelow ? -exponent : exponent
  }

  /// Reads decimal digits, and returns the number of zeros before all other digits of the number.
  @discardableResult
  private mutating func readDigits(_ text: Span<UInt8>, _ at: inout Int) -> Int {
    var zeros = 0
    while at < text.count, text[at] &- UInt8(ascii: "0") <= 9 {
      let digit = Int64(text[at] - UInt8(ascii: "0"))
      at += 1
      if count == 0, digit == 0 {
        zeros += 1
      } else if count < Self.mostDigits {
        digits = digits * 10 + digit
        count += 1
      } else {
        isCut = isCut || digit != 0
      }
    }
    return zeros
  }

  private static func passes(_ sign: Unicode.Scalar, _ text: Span<UInt8>, _ at: inout Int) -> Bool {
    guard at < text.count, text[at] == UInt8(ascii: sign) else { return false }
    at += 1
    return true
  }

  /// Returns the whole part times 10^`power`, unsigned, and whether it was cut, or nil for many digits.
  func whole(times power: Int = 0) -> (value: Int64, isCut: Bool)? {
    guard count > 0 else { return (0, false) }
    let wanted = point + power
    guard wanted > 0 else { return (0, true) }
    guard wanted <= Self.mostDigits else { return nil }
    var (value, isCut) = (digits, isCut)
    for _ in 0..<abs(wanted - count) {
      if wanted > count {
        value *= 10
      } else {
        isCut = isCut || value % 10 != 0
        value /= 10
      }
    }
    return (value, isCut)
  }
}
