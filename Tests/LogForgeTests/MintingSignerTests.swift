import Minting
import Testing

@testable import LogForge

struct MintingSignerTests {
  @Test func `the point of one is the generator`() throws {
    let point = try MintingSigner(.p256).publicPoint(of: [1])
    let hex = String(decoding: TextCode.hex.encode(point), as: UTF8.self)
    #expect(hex.hasPrefix("046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"))
  }

  @Test func `signatures hold, are the same each time, and differ by salt`() throws {
    let signer = try MintingSigner(.p256)
    let secret = MintingDigest.sha256([7])
    let digest = MintingDigest.sha256([1, 2, 3])
    let point = try signer.publicPoint(of: secret)
    let first = try signer.sign(digest, secret: secret)
    let salted = try signer.sign(digest, secret: secret, salt: 1)
    #expect(try signer.sign(digest, secret: secret) == first)
    #expect(salted != first)
    let negated = MintedSignature(r: first.r, s: try signer.negated(first.s))
    #expect(negated != first)
    for signature in [first, salted, negated] {
      let der = DERWriter.signature(r: signature.r, s: signature.s)
      #expect(Minted.holds(digest, der, point: point))
    }
  }

  @Test func `a signature does not hold for another digest`() throws {
    let signer = try MintingSigner(.p256)
    let secret = MintingDigest.sha256([8])
    let point = try signer.publicPoint(of: secret)
    let signature = try signer.sign(MintingDigest.sha256([1]), secret: secret)
    let der = DERWriter.signature(r: signature.r, s: signature.s)
    let other = MintingDigest.sha256([2])
    #expect(!Minted.holds(other, der, point: point))
  }

  @Test func `both halves of s occur`() throws {
    let signer = try MintingSigner(.p256)
    let secret = MintingDigest.sha256([9])
    let high = try (0..<64).count {
      try signer.sign(MintingDigest.sha256([UInt8($0)]), secret: secret).s[0] >= 0x80
    }
    #expect((10...54).contains(high))
  }

  @Test func `zero is no secret`() throws {
    let signer = try MintingSigner(.p384)
    #expect(throws: MintingError.self) { try signer.publicPoint(of: [0]) }
    #expect(throws: MintingError.self) {
      try MintingSigner(.p256).publicPoint(of: MintingSigner(.p256).orderBytes)
    }
  }

  @Test func `digests are those of FIPS 180`() {
    let hex = { String(decoding: TextCode.hex.encode($0), as: UTF8.self) }
    #expect(hex(MintingDigest.sha256(Array("abc".utf8))).hasPrefix("ba7816bf8f01cfea"))
    #expect(hex(MintingDigest.sha384(Array("abc".utf8))).hasPrefix("cb00753f45a35e8b"))
  }
}
