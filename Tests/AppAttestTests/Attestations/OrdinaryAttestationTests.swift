import Foundation
import OpenSSL
import TestSupport
import Testing

@testable import AppAttest

/// Attestations read without OpenSSL, beside what OpenSSL reads. `AttestationAuditTests` and the fuzz target `attestation`
/// have mutated ones.
@Suite(.enabled(if: Genuine.isPresent, Genuine.comment))
struct OrdinaryAttestationTests {
  private func record(_ vector: GenuineVector, time: Int64? = nil) -> AttestationRecord {
    AttestationRecord(
      keyIdentifier: vector.keyIdentifier, clientDataHash: vector.clientDataHash,
      appID: vector.appId, time: time ?? vector.madeAt)
  }

  @Test(arguments: Genuine.attestations().map(\.name))
  func `a genuine leaf is walked as OpenSSL reads it`(name: String) throws {
    let parts = try AttestationPieces(Genuine.named(name).tokenBytes)
    let bytes = parts.certificates[0]
    let certificate = try Certificate(der: bytes)
    let walked = OrdinaryLeaf(bytes.span)
    let leaf = try #require(walked)
    let facts = LeafFacts(leaf, of: bytes)
    let expected = LeafFacts(certificate)
    #expect(facts.der == expected.der && facts.publicKey == expected.publicKey)
    #expect(facts.nonce == expected.nonce && facts.origin == expected.origin)
    #expect(facts.serialTime == expected.serialTime && facts.serialTime != nil)
    #expect(leaf.validity == certificate.validity)
    let issuer = try Certificate(der: parts.certificates[1])
    #expect(Array(bytes[leaf.issuer]) == issuer.subject)
    #expect(issuer.p384Point?.count == 97)
  }

  @Test(arguments: Genuine.attestations().map(\.name))
  func `a genuine receipt is walked as OpenSSL reads it`(name: String) throws {
    let receipt = try AttestationPieces(Genuine.named(name).tokenBytes).receipt
    guard let cms = try? CMSReceipt(receipt.span) else {
      #expect(OrdinaryReceipt(receipt.span) == nil)
      return
    }
    let walked = OrdinaryReceipt(receipt.span)
    // Receipts of September 2020 have more signed attributes.
    if name == "veehaitch-2020-09-12-att" { return }
    let ordinary = try #require(walked)
    #expect(ordinary.content == cms.content)
    #expect(ordinary.digests.last == Digest256.sha256(cms.content.span))
  }

  @Test func `most genuine attestations have the ordinary form`() throws {
    var read = 0
    let vectors = Genuine.attestations()
    for vector in vectors {
      let verifier = try Genuine.verifier(for: vector)
      let token = vector.tokenBytes
      #expect(verifier.read(token: token.span, of: record(vector)) == nil, "nobody is known yet")
      let expected = verifier.judge(vector)
      guard let quick = verifier.read(token: token.span, of: record(vector)) else { continue }
      read += 1
      #expect(expected.judged == quick.judgement)
      #expect(quick.signatures.map(\.key.curve) == (vector.hasReceipt ? [.p384, .p256] : [.p384]))
      #expect(quick.holdsByOpenSSL)
    }
    #expect(read * 10 >= vectors.count * 9, "\(read) of \(vectors.count)")
  }

  @Test func `without memory, and outside of every validity, OpenSSL judges`() throws {
    let vector = Genuine.named("uebelack-development-att")
    let forgetful = try Genuine.verifier(for: vector, caching: false)
    _ = forgetful.judge(vector)
    #expect(forgetful.read(token: vector.tokenBytes.span, of: record(vector)) == nil)
    let verifier = try Genuine.verifier(for: vector)
    _ = verifier.judge(vector)
    let year: Int64 = 365 * 86_400_000
    for time in [vector.madeAt - year, vector.madeAt + 3 * year, .min, .max] {
      #expect(verifier.read(token: vector.tokenBytes.span, of: record(vector, time: time)) == nil)
    }
  }

  @Test func `a nonce over client data that the log did not keep is not checked`() throws {
    // verification.R42: neither the nonce nor the receipt's client hash accuses anybody.
    let vector = Genuine.named("uebelack-development-att")
    let verifier = try Genuine.verifier(for: vector)
    _ = verifier.judge(vector)
    for isLossy in [false, true] {
      var other = record(vector)
      other.clientDataHash = [UInt8](repeating: 9, count: 32)
      other.isLossy = isLossy
      let slow = try #require(verifier.judge(token: vector.tokenBytes.span, of: other).judged)
      let expected: [AttestationCheck] = isLossy ? [] : [.nonceMismatch, .receiptInvalid]
      #expect(slow.failures.map(\.check) == expected && slow.isNonceUnchecked == isLossy)
      #expect((slow.verified != nil) == isLossy)
      let quick = verifier.read(token: vector.tokenBytes.span, of: other)
      #expect(quick?.judgement == slow)
      // What matches is checked, whatever the client data contains.
      other.clientDataHash = vector.clientDataHash
      #expect(
        verifier.judge(token: vector.tokenBytes.span, of: other).judged?.isNonceUnchecked == false)
    }
  }
}
