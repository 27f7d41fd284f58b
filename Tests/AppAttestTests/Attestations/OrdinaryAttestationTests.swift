import Foundation
import OpenSSL
import TestSupport
import Testing

@testable import AppAttest

/// Attestations read without OpenSSL, beside what OpenSSL reads.
///
/// `ATTESTATION_MUTANTS` sets how many mutated ones are compared, `ATTESTATION_SEED` where they
/// start.
@Suite(.enabled(if: Genuine.isPresent, Genuine.comment))
struct OrdinaryAttestationTests {
  private static func setting(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }

  private func record(_ vector: GenuineVector, time: Int64? = nil) -> AttestationRecord {
    AttestationRecord(
      keyIdentifier: vector.keyIdentifier, clientDataHash: vector.clientDataHash,
      appID: vector.appId, time: time ?? vector.madeAt)
  }

  private func judged(_ judgement: AttestationJudgement) -> JudgedAttestation? {
    guard case .judged(let judged) = judgement else { return nil }
    return judged
  }

  @Test(arguments: Genuine.attestations().map(\.name))
  func `a genuine leaf is walked as OpenSSL reads it`(name: String) throws {
    let parts = try GenuineParts(Genuine.named(name).tokenBytes)
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
    let receipt = try GenuineParts(Genuine.named(name).tokenBytes).receipt
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
      #expect(judged(expected) == quick.judgement)
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
      let slow = try #require(judged(verifier.judge(token: vector.tokenBytes.span, of: other)))
      let expected: [AttestationCheck] = isLossy ? [] : [.nonceMismatch, .receiptInvalid]
      #expect(slow.failures.map(\.check) == expected && slow.isNonceUnchecked == isLossy)
      #expect((slow.verified != nil) == isLossy)
      let quick = verifier.read(token: vector.tokenBytes.span, of: other)
      #expect(quick?.judgement == slow)
      // What matches is checked, whatever the client data contains.
      other.clientDataHash = vector.clientDataHash
      #expect(
        judged(verifier.judge(token: vector.tokenBytes.span, of: other))?.isNonceUnchecked == false)
    }
  }

  /// Whatever is read and holds is judged by OpenSSL in the same way; returns whether it was read.
  @discardableResult
  private func compare(
    _ token: [UInt8], _ record: AttestationRecord, _ verifier: AttestationVerifier,
    _ comment: @autoclosure () -> String
  ) -> Bool {
    guard let quick = verifier.read(token: token.span, of: record) else { return false }
    guard quick.holdsByOpenSSL else { return true }
    let slow = judged(verifier.judge(token: token.span, of: record))
    #expect(slow == quick.judgement, "\(comment())")
    return true
  }

  @Test func `mutated attestations are never accepted against OpenSSL`() throws {
    var random = Mutations(seed: UInt64(Self.setting("ATTESTATION_SEED") ?? 1))
    let vectors = Genuine.attestations()
    var cases: [(GenuineParts, AttestationRecord, AttestationVerifier)] = []
    for vector in vectors {
      let verifier = try Genuine.verifier(for: vector)
      _ = verifier.judge(vector)
      cases.append((try GenuineParts(vector.tokenBytes), record(vector), verifier))
    }
    var read = 0
    for index in 0..<(Self.setting("ATTESTATION_MUTANTS") ?? 3_000) {
      var (parts, record, verifier) = cases[index % cases.count]
      switch random.next(below: 4) {
      case 0: random.mutate(&parts.certificates[0])
      case 1: random.mutate(&parts.receipt)
      case 2: random.mutate(&parts.authData)
      default: random.mutate(&parts.certificates[1])
      }
      if compare(parts.token, record, verifier, "mutant \(index)") { read += 1 }
    }
    #expect(read > 0)
  }
}

/// Changes of a few bytes: the same on every run.
private struct Mutations {
  private var random: Generator

  init(seed: UInt64) {
    random = Generator(seed)
  }

  mutating func next(below limit: Int) -> Int { random.below(limit) }

  mutating func mutate(_ bytes: inout [UInt8]) {
    for _ in 0...next(below: 2) {
      guard !bytes.isEmpty else { return }
      // Lengths and tags stand mostly near the ends.
      let span = next(below: 2) == 0 ? bytes.count : min(bytes.count, 90)
      let at = next(below: 4) == 0 ? bytes.count - 1 - next(below: span) : next(below: span)
      switch next(below: 6) {
      case 0: bytes[at] ^= 1 << UInt8(next(below: 8))
      case 1: bytes[at] = UInt8(next(below: 256))
      case 2: bytes[at] &+= 1
      case 3: bytes[at] = 0
      case 4: bytes.insert(UInt8(next(below: 256)), at: at)
      default: bytes.remove(at: at)
      }
    }
  }
}
