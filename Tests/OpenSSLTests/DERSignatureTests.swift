import OpenSSL
import TestSupport
import Testing

struct DERSignatureTests {
  private static let n: [UInt8] = P256Scalar.order.bytes

  private func encode(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
    let body = [0x02, UInt8(r.count)] + r + [0x02, UInt8(s.count)] + s
    return [0x30, UInt8(body.count)] + body
  }

  private func parse(_ bytes: [UInt8]) -> (r: P256Scalar, s: P256Scalar)? {
    DERSignature.parse(bytes.span)
  }

  @Test func `short, full and padded numbers are read`() throws {
    let small = try #require(parse(encode([1], [0x7F])))
    #expect(small.r.bytes == [UInt8](repeating: 0, count: 31) + [1])
    #expect(small.s.bytes.last == 0x7F)
    let high = [UInt8](repeating: 0x80, count: 32)
    let full = try #require(parse(encode([0] + high, [0] + high)))
    #expect(full.r.bytes == high)
    #expect(parse(encode([0] + Self.n.dropLast() + [0x50], [1])) != nil)
  }

  @Test func `zero, the order and beyond, and signs are refused`() {
    for number in [[0], [0] + Self.n, [0x80], [0xFF], [], [0, 0, 1], [0, 0x7F]] as [[UInt8]] {
      #expect(parse(encode(number, [1])) == nil)
      #expect(parse(encode([1], number)) == nil)
    }
    #expect(parse(encode([UInt8](repeating: 1, count: 33), [1])) == nil)
  }

  @Test func `other encodings are refused`() {
    let good = encode([1], [2])
    #expect(parse(good) != nil)
    #expect(parse(good + [0]) == nil)
    for count in 0..<good.count { #expect(parse(Array(good.prefix(count))) == nil) }
    #expect(parse([0x30, 0x81, 6] + good.dropFirst(2)) == nil)
    #expect(parse([0x30, 0x80] + good.dropFirst(2) + [0, 0]) == nil)
    #expect(parse([0x31] + good.dropFirst()) == nil)
    #expect(parse([0x30, 7] + good.dropFirst(2) + [0]) == nil)
    for length: UInt8 in [0, 5, 7] { #expect(parse([0x30, length] + good.dropFirst(2)) == nil) }
  }

  @Test func `s and the order less s have one lower form`() throws {
    let one = try #require(parse(encode([1], [1])))
    let last = try #require(parse(encode([1], [0] + Self.n.dropLast() + [Self.n[31] - 1])))
    #expect(one.s.lowerOfPair == one.s)
    #expect(last.s.lowerOfPair == one.s)
    #expect(last.s > one.s)
    let half: [UInt8] = [0x7F, 0xFF, 0xFF, 0xFF, 0x80] + [UInt8](repeating: 3, count: 27)
    let middle = try #require(parse(encode([1], half)))
    #expect(middle.s.lowerOfPair.lowerOfPair == middle.s.lowerOfPair)
  }

  @Test(.enabled(if: Wycheproof.isPresent, "the vectors are not beside this package"))
  func `Wycheproof's verdicts are ours, and nothing that verifies fails to parse`() throws {
    var (count, refused) = (0, 0)
    for group in try Wycheproof.groups("secp256r1", "sha256") {
      let key = try #require(P256PublicKey(point: group.point))
      for test in group.tests {
        let signature = test.signature
        let verified = P256Verifier().verify(
          digest: sha256(test.message).span, signatureDER: signature.span, key: key)
        #expect(verified == test.isValid, "test \(test.tcId)")
        let parsed = parse(signature)
        if verified { #expect(parsed != nil, "test \(test.tcId)") }
        if parsed == nil { refused += 1 }
        count += 1
      }
    }
    #expect(count == 484)
    #expect(refused > 50)
  }
}
