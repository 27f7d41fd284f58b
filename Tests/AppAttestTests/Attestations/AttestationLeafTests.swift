import AppAttest
import OpenSSL
import TestSupport
import Testing

@Suite(.enabled(if: Genuine.isPresent, Genuine.comment))
struct AttestationLeafTests {
  private static let vectors = Genuine.all.filter {
    $0.kind == "attestation" && $0.expected == "valid" && $0.keyId != nil
  }

  @Test func `there are genuine attestations`() {
    #expect(Self.vectors.count > 5)
  }

  @Test func `the leaf of a genuine attestation says what belongs to it`() throws {
    for vector in Self.vectors {
      let object = try AttestationObject.parse(vector.tokenBytes.span)
      let key = try #require(object.leafPublicKey)
      #expect(Digest256.sha256(key.span) == vector.keyIdentifier, "\(vector.name)")
      let nonce = Digest256.sha256(object.authData.span, vector.clientDataHash.span)
      #expect(object.leafNonce == nonce, "\(vector.name)")
      let appID = try #require(object.leafAppID)
      #expect(
        Digest256.sha256(Array(appID.utf8).span) == object.authenticatorData.rpIDHash,
        "\(vector.name)")
    }
  }

  @Test func `another certificate says nothing of the kind`() throws {
    let vector = try #require(Self.vectors.first)
    var parts = try GenuineParts(vector.tokenBytes)
    parts.certificates.reverse()
    let object = try AttestationObject.parse(parts.token.span)
    #expect(object.leafPublicKey == nil)
    #expect(object.leafNonce == nil)
    #expect(object.leafAppID == nil)
  }
}
