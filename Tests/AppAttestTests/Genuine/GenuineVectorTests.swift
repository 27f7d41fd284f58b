import AppAttest
import OpenSSL
import TestSupport
import Testing

@Suite(.enabled(if: Genuine.isPresent, Genuine.comment))
struct GenuineVectorTests {
  @Test func `every genuine attestation is valid, its receipt verified`() throws {
    let vectors = Genuine.attestations()
    #expect(vectors.count >= 23)
    #expect(vectors.contains { !$0.hasReceipt })
    for vector in vectors {
      let judged = try Genuine.verifier(for: vector).judge(vector).judged
      // Years later, each is judged at its own time (verification.R3; facts.R13, R15).
      // verification.R19: what a publisher removed is missing, and the rest is as good as before.
      let expected: [AttestationCheck] = vector.hasReceipt ? [] : [.receiptInvalid]
      #expect(judged?.failures.map(\.check) == expected, "\(vector.name)")
      let own = try Genuine.verifier(for: vector, receipts: .ignore).judge(vector).judged
      #expect(own?.failures == [], "\(vector.name)")
      // verification.R43: both of Apple's clocks agree.
      let clocks = try #require(own?.signedTime)
      #expect((-1_200...1_200).contains(clocks - vector.madeAt), "\(vector.name)")
      #expect(judged?.verified?.publicKey == vector.publicKey, "\(vector.name)")
      #expect(judged?.verified?.appIndex == 0, "\(vector.name)")
      #expect(judged?.environment?.name == vector.environment, "\(vector.name)")
      #expect(judged?.counter == 0)
      #expect((judged?.receipt?.type == "ATTEST") == vector.hasReceipt, "\(vector.name)")
      #expect((judged?.receipt?.creationTime != nil) == vector.hasReceipt, "\(vector.name)")
      #expect(judged?.origin.osVersion.isEmpty == false, "\(vector.name)")
    }
  }

  @Test func `the corrupted copies are malformed`() throws {
    let vectors = Genuine.all.filter { $0.expected.hasPrefix("malformed") }
    #expect(vectors.count == 2)
    for vector in vectors {
      #expect(throws: MalformedToken.self, "\(vector.name)") {
        _ = try AttestationObject.parse(vector.tokenBytes.span)
      }
    }
  }

  // facts.R3.
  @Test func `every genuine assertion is valid if hashed twice, and invalid if once`() throws {
    let vectors = Genuine.all.filter { $0.kind == "assertion" }
    #expect(vectors.count >= 9)
    for vector in vectors {
      let token = vector.tokenBytes
      let assertion = try Assertion.parse(token.span)
      #expect(assertion.counter == vector.counter ?? 1, "\(vector.name)")
      let apps = ConfiguredApps([AppPolicy(id: vector.appId!)])
      #expect(apps.judge(appID: nil, rpIDHash: assertion.rpIDHash).matches)
      let key = try #require(P256PublicKey(point: vector.publicKey))
      let digest = assertion.digest(in: token.span, clientDataHash: vector.clientDataHash.span)
      let holds = assertion.withSignature(in: token.span) { signature in
        digest.withSpan {
          P256Verifier().verify(digest: $0, signatureDER: signature, key: key)
        }
      }
      #expect(holds, "\(vector.name)")
      let once = assertion.withAuthenticatorData(in: token.span) {
        Assertion.nonce(
          authenticatorData: $0, clientDataHash: vector.clientDataHash.span)
      }
      let holdsOnce = assertion.withSignature(in: token.span) { signature in
        once.withSpan { P256Verifier().verify(digest: $0, signatureDER: signature, key: key) }
      }
      #expect(!holdsOnce, "\(vector.name)")
      let isParsed = assertion.withSignature(in: token.span) { DERSignature.parse($0) != nil }
      #expect(isParsed)
    }
  }

  @Test func `every genuine receipt verifies by itself (facts.R23, R24, R26)`() throws {
    let anchors = try TrustAnchors(der: [AppleTrust.rootCAG3])
    let wrong = try TrustAnchors(der: [AppleTrust.appAttestationRootCA])
    let vectors = Genuine.all.filter { $0.kind == "receipt" }
    #expect(vectors.count >= 20)
    var renewed = 0
    for vector in vectors {
      let receipt = try Receipt.parse(vector.tokenBytes.span)
      #expect(receipt.verify(anchors: anchors, at: vector.time) == nil, "\(vector.name)")
      #expect(receipt.verify(anchors: wrong, at: vector.time) != nil, "\(vector.name)")
      #expect(receipt.appID == vector.appId, "\(vector.name)")
      #expect(receipt.creationTime != nil, "\(vector.name)")
      #expect(receipt.expiry! > receipt.creationTime!, "\(vector.name)")
      #expect(receipt.attestedCertificate != nil)
      switch receipt.type {
      case "RECEIPT":
        renewed += 1
        #expect(receipt.riskMetric.flatMap { Int($0) } != nil, "\(vector.name)")
        #expect(receipt.notBefore != nil, "\(vector.name)")
      default:
        #expect(receipt.type == "ATTEST", "\(vector.name)")
        #expect(receipt.riskMetric == nil)
      }
    }
    #expect(renewed > 0)
  }

  @Test func `only the code hash tells a modified build from the honest one`() throws {
    // verification.R37, R38, R39; facts.R32. A hash of 20 bytes and one of 32 are compared in 20.
    for (honest, modified) in [
      ("amiller-iphone27-row01-att-honest", "amiller-iphone27-row03-att-modified"),
      ("amiller-iphone27-row02-assert-honest", "amiller-iphone27-row04-assert-modified"),
      ("amiller-mac27-fresh-apple-assert", "amiller-mac27-fresh-apple-modified"),
    ].map({ (Genuine.named($0), Genuine.named($1)) }) {
      let listed = try #require(try honest.signedExtensions.codeHash.value)
      let other = try modified.signedExtensions
      #expect(listed.byteCount == 32 && other.codeHashType == .value(2))
      for length in [20, 32] {
        let hash = CodeHash(listed.bytes.span.extracting(first: length))
        let apps = ConfiguredApps([AppPolicy(id: honest.appId!, codeHashes: [hash])])
        #expect(apps.codeFailure(index: 0, extensions: try honest.signedExtensions) == nil)
        #expect(apps.codeFailure(index: 0, extensions: other) != nil, "\(modified.name)")
      }
    }
  }

  @Test func `a top-level cdHash of iOS 18 is unsigned`() throws {
    // verification.R39.
    for name in ["burnt-ios18.5-b-att1", "amiller-iphone18-row02-assert-testflight-build-2"] {
      let vector = Genuine.named(name)
      #expect(try vector.signedExtensions.codeHash == .absent)
      let unsigned = UnsignedCodeHash(token: vector.tokenBytes.span)
      #expect(unsigned == nil || unsigned?.hash.value?.byteCount == 20, "\(name)")
    }
    let types = Genuine.all.compactMap { UnsignedCodeHash(token: $0.tokenBytes.span)?.type }
    #expect(!types.isEmpty && types.allSatisfy { $0 == .value(2) })
  }

  @Test func `Macs have Apple's access control for full security, and other devices do not`() throws
  {
    // verification.R36; facts.R36, R37.
    for vector in Genuine.attestations() {
      let object = try AttestationObject.parse(vector.tokenBytes.span)
      let isMac = vector.name.contains("mac27")
      let origin = try #require(object.leafOrigin)
      #expect(
        (origin.platform == .macos) == isMac && origin.hasFullSecurity == isMac, "\(vector.name)")
    }
  }
}
