import LogForge
import OpenSSL
import SignatureBatch
import TestSupport

@testable import AppAttest

/// An attestation, whole or with one part in place of a good one: the walks without OpenSSL judge what
/// holds as OpenSSL does, and a certificate that they read is one that OpenSSL reads alike.
struct AttestationTarget: FuzzTarget {
  static let name = "attestation"
  static let limit = 16_384

  private let verifier: AttestationVerifier
  private let good: AttestationPieces
  private let record: AttestationRecord

  /// The part that is replaced, and its bytes.
  static func seeds() throws -> [[UInt8]] {
    try FuzzSeeds.tokens("attestation").flatMap { token -> [[UInt8]] in
      let pieces = try AttestationPieces(token)
      return [[0] + token] + pieces.all.enumerated().map { [UInt8($0 + 1)] + $1 }
    }
  }

  init() throws {
    let scratch = try Scratch()
    try SyntheticDay.shared.writeSettings(to: scratch)
    func anchors(_ name: String) throws -> [[UInt8]] {
      try TrustAnchors.certificates(pem: scratch.bytes("anchors/synthetic-\(name)-root.pem"))
    }
    verifier = try AttestationVerifier(
      apps: ConfiguredApps([
        AppPolicy(id: SyntheticApp.bank.id, environments: [.production, .development])
      ]), trustAnchors: anchors("attestation"), receiptAnchors: anchors("receipt"))
    let tokens = try FuzzSeeds.tokens("attestation")
    good = try AttestationPieces(tokens[0])
    let leaf = try Certificate(der: good.all[0])
    let publicKey = LeafFacts(leaf).publicKey ?? []
    record = AttestationRecord(
      keyIdentifier: .sha256(publicKey.span),
      clientDataHash: [UInt8](repeating: 7, count: 32), appID: nil,
      time: (leaf.validity?.lowerBound ?? 0) * 1000 + 60_000)
    // Issuers and signers are known from here on.
    for token in tokens { _ = verifier.judge(token: token.span, of: record) }
  }

  func run(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let part = Int(first) % (good.all.count + 1)
    let rest = Array(bytes.dropFirst())
    var pieces = good
    if part > 0 { pieces.all[part - 1] = rest }
    let token = part == 0 ? rest : pieces.token
    if part == 1 { walkLeaf(rest) }
    let slow = verifier.judge(token: token.span, of: record)
    guard let quick = verifier.read(token: token.span, of: record),
      let key = quick.judgement.publicKey, SignatureCurve.p256.isPoint(key.span),
      quick.holdsByOpenSSL
    else { return }
    guard case .judged(let judged) = slow else { fail("malformed, and read all the same") }
    require(judged == quick.judgement, "judged otherwise without OpenSSL")
  }

  private func walkLeaf(_ bytes: [UInt8]) {
    guard let leaf = OrdinaryLeaf(bytes.span) else { return }
    guard SignatureCurve.p256.isPoint(bytes.span.extracting(leaf.point)) else { return }
    let facts = LeafFacts(leaf, of: bytes)
    guard let certificate = try? Certificate(der: bytes) else { return }
    let expected = LeafFacts(certificate)
    require(facts.publicKey == expected.publicKey, "another public key")
    require(facts.nonce == expected.nonce, "another nonce")
    require(facts.origin == expected.origin, "another system")
    require(leaf.validity == certificate.validity, "another validity")
  }
}
