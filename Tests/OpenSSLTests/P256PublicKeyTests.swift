import OpenSSL
import Testing

struct P256PublicKeyTests {
  private static let point = Array(pki.uncompressedSPKI.suffix(65))

  @Test func `a point of the curve is a key`() {
    #expect(P256PublicKey(point: Self.point) != nil)
  }

  @Test func `a point off the curve, the wrong form and the wrong length are none`() {
    for index in 1..<65 {
      var point = Self.point
      point[index] ^= 1
      #expect(P256PublicKey(point: point) == nil, "byte \(index)")
    }
    for form in [UInt8(0), 2, 3, 5, 6, 7, 0xFF] {
      #expect(P256PublicKey(point: [form] + Self.point.dropFirst()) == nil)
    }
    for count in 0..<65 { #expect(P256PublicKey(point: Array(Self.point.prefix(count))) == nil) }
    #expect(P256PublicKey(point: Self.point + [0]) == nil)
    #expect(P256PublicKey(point: [4] + [UInt8](repeating: 0, count: 64)) == nil)
    #expect(P256PublicKey(point: [4] + [UInt8](repeating: 0xFF, count: 64)) == nil)
  }

  @Test func `key information with bytes left over or cut is none`() {
    for count in 0..<pki.uncompressedSPKI.count {
      #expect(P256PublicKey.point(spki: Array(pki.uncompressedSPKI.prefix(count))) == nil)
    }
    #expect(P256PublicKey.point(spki: pki.uncompressedSPKI + [0]) == nil)
    #expect(P256PublicKey.point(spki: pki.root) == nil)
  }

  @Test func `a digest of another length and an empty signature do not hold`() throws {
    let key = try #require(P256PublicKey(point: Self.point))
    func verify(_ digest: [UInt8], _ signature: [UInt8]) -> Bool {
      P256Verifier().verify(digest: digest.span, signatureDER: signature.span, key: key)
    }
    for count in [0, 31, 33] {
      #expect(!verify([UInt8](repeating: 1, count: count), Self.point))
    }
    #expect(!verify([UInt8](repeating: 1, count: 32), []))
  }
}
