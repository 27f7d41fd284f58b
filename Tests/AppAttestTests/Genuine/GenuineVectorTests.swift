import AppAttest
import Dispatch
import OpenSSL
import Synchronization
import TestSupport
import Testing

@Suite(.enabled(if: Genuine.isPresent, Genuine.comment))
struct GenuineVectorTests {
  @Test func `every genuine attestation is valid, its receipt verified`() throws {
    let vectors = Genuine.attestations()
    #expect(vectors.count >= 15)
    for vector in vectors {
      let judged = try Genuine.verifier(for: vector).judge(vector).judged
      #expect(judged?.failures == [], "\(vector.name)")
      #expect(judged?.verified?.publicKey == vector.publicKey, "\(vector.name)")
      #expect(judged?.verified?.appIndex == 0, "\(vector.name)")
      #expect(judged?.environment?.name == vector.environment, "\(vector.name)")
      #expect(judged?.counter == 0)
      #expect(judged?.receipt?.type == "ATTEST", "\(vector.name)")
      #expect(judged?.receipt?.creationTime != nil, "\(vector.name)")
      #expect(judged?.osVersion.isEmpty == false, "\(vector.name)")
    }
  }

  @Test func `without an app identifier the app is found by its hash`() throws {
    for vector in Genuine.attestations() {
      let judged = try Genuine.verifier(for: vector).judge(vector, appID: .some(nil)).judged
      #expect(judged?.failures == [], "\(vector.name)")
      #expect(judged?.appIndex == 0, "\(vector.name)")
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

  @Test func `every genuine assertion holds, hashed twice`() throws {
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

  @Test func `every genuine receipt verifies by itself`() throws {
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

  @Test func `an iOS 27 attestation tells category and bundle version`() throws {
    let vector = Genuine.named("apple-guide-2026-ios27")
    let judged = try #require(try Genuine.verifier(for: vector).judge(vector).judged)
    #expect(judged.category?.rawValue == 1)
    #expect(judged.bundleVersion == "1")
    #expect(judged.osVersion == "27.0")
    #expect(judged.receipt?.creationTime == 1_776_795_192_153)
  }

  @Test func `threads share one verifier`() throws {
    let vectors = Array(Genuine.attestations().prefix(4))
    let verifiers = try vectors.map { try Genuine.verifier(for: $0) }
    let wrong = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: 120) { index in
      let number = index % vectors.count
      let shift: Int64 = index % 3 == 0 ? 3_650 * 86_400_000 : 0
      let vector = vectors[number]
      let judged = verifiers[number].judge(vector, time: vector.madeAt + shift).judged
      if judged?.failures.isEmpty != (shift == 0) { wrong.add(1, ordering: .relaxed) }
    }
    #expect(wrong.load(ordering: .relaxed) == 0)
  }
}
