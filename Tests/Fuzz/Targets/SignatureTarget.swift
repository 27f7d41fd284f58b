import AppAttest
import OpenSSL

/// A signature in DER behind a digest: read as strict DER and nothing else, and the keys that it leads
/// back to are keys under which it holds.
struct SignatureTarget: FuzzTarget {
  static let name = "signature"
  static let limit = 160

  static func seeds() throws -> [[UInt8]] {
    try FuzzSeeds.tokens("assertion").prefix(8).map { token in
      let assertion = try Assertion.parse(token.span)
      return [UInt8](repeating: 7, count: 32)
        + assertion.withSignature(in: token.span) { Array(copying: $0) }
    }
  }

  func run(_ bytes: [UInt8]) {
    let digest = Array((bytes + [UInt8](repeating: 0, count: 32))[..<32])
    let der = Array(bytes.dropFirst(32))
    let parsed = DERSignature.parse(der.span)
    let numbers = numbers(of: der, size: 32)
    if let parsed { require(numbers == parsed.r.bytes + parsed.s.bytes, "two readings") }
    if let numbers { require(encoded(numbers) == der, "a form that is not the strict one") }
    let wide = self.numbers(of: der, size: 48)
    require(numbers == nil || wide?.filter { $0 != 0 } == numbers?.filter { $0 != 0 }, "two sizes")
    let keys = P256Recovery.keys(digest: digest, signatureDER: der)
    require(parsed != nil || keys.isEmpty, "keys of what is no signature")
    for point in keys {
      guard let key = P256PublicKey(point: point) else { fail("a key that is no point") }
      let holds = P256Verifier().verify(digest: digest.span, signatureDER: der.span, key: key)
      require(holds, "a signature that is invalid under its key")
    }
  }

  /// Returns r ‖ s, `size` bytes each, or nil where the reader refuses.
  private func numbers(of der: [UInt8], size: Int) -> [UInt8]? {
    var numbers = [UInt8](repeating: 0, count: 2 * size)
    let isStrict = unsafe numbers.withUnsafeMutableBytes {
      unsafe DERSignature.write(numbersOf: der.span, size: size, to: $0)
    }
    return isStrict ? numbers : nil
  }

  /// The strict form of two numbers (X.690, 8.3 and 10).
  private func encoded(_ numbers: [UInt8]) -> [UInt8] {
    let half = numbers.count / 2
    let body = [numbers[..<half], numbers[half...]].flatMap { number -> [UInt8] in
      var digits = Array(number.drop { $0 == 0 })
      if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
      return [0x02, UInt8(digits.count)] + digits
    }
    return [0x30, UInt8(body.count)] + body
  }
}

extension Array where Element == UInt8 {
  /// The bytes of a span.
  init(copying span: Span<UInt8>) {
    self.init()
    for index in span.indices { append(span[index]) }
  }
}
