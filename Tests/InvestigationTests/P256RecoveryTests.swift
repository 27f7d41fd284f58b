import AppAttest
import OpenSSL
import Testing

@testable import Investigation

struct P256RecoveryTests {
  @Test(arguments: UInt8(1)...20)
  func `the key of a signature is among the two that are left`(_ seed: UInt8) throws {
    let key = try MadeKey(seed)
    let token = try key.assertion(over: sha256("\(seed)"))
    let assertion = try Assertion.parse(token.span)
    let digest = assertion.digest(in: token.span, clientDataHash: sha256("\(seed)").span)
    let signature = assertion.withSignature(in: token.span) { bytes in
      bytes.indices.map { bytes[$0] }
    }
    let keys = P256Recovery.keys(digest: digest.bytes, signatureDER: signature)
    #expect(keys.count == 2)
    #expect(keys.contains(key.point))
    for point in keys {
      let publicKey = try #require(P256PublicKey(point: point))
      let holds = P256Verifier().verify(
        digest: digest.bytes.span, signatureDER: signature.span, key: publicKey)
      #expect(holds)
    }
  }

  @Test func `what is no signature has no key`() {
    let digest = sha256("x")
    #expect(P256Recovery.keys(digest: digest, signatureDER: []).isEmpty)
    #expect(P256Recovery.keys(digest: [1], signatureDER: [0x30, 6, 2, 1, 1, 2, 1, 1]).isEmpty)
    #expect(P256Recovery.keys(digest: digest, signatureDER: [0x30, 6, 2, 1, 0, 2, 1, 1]).isEmpty)
    #expect(
      P256Recovery.keys(digest: digest, signatureDER: [0x30, 6, 2, 1, 1, 2, 1, 1, 0]).isEmpty)
    // No point has every x-coordinate: none is made up.
    for r in UInt8(1)...9 {
      for key in P256Recovery.keys(digest: digest, signatureDER: [0x30, 6, 2, 1, r, 2, 1, 1]) {
        let isPoint = P256PublicKey.isPoint(key.span)
        #expect(isPoint)
      }
    }
  }
}
