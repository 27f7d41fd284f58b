import Minting
import OpenSSL
import Testing

@testable import LogForge

/// One authority for all tests: the same at every run.
enum Minted {
  static let authority = Result {
    try SyntheticAuthority(seed: 42, SigningTools())
  }
  /// 2026-03-01T00:00:00Z.
  static let seconds = TrafficPlan.dayStart / 1000

  /// Returns true if the verifier's own code takes the signature.
  static func holds(_ digest: [UInt8], _ der: [UInt8], point: [UInt8]) -> Bool {
    guard let key = P256PublicKey(point: point.span) else { return false }
    return P256Verifier().verify(digest: digest.span, signatureDER: der.span, key: key)
  }
}

struct AuthorityTests {
  @Test func `intermediates and signers chain to their roots and to no other`() throws {
    let authority = try Minted.authority.get()
    let attestation = try TrustStore(anchors: [authority.root.certificate])
    let receipts = try TrustStore(anchors: [authority.receiptRoot.certificate])
    let intermediate = try Certificate(der: authority.intermediate.certificate.span)
    let signer = try Certificate(der: authority.receiptSigner.certificate.span)
    let others = [try Certificate(der: authority.receiptIntermediate.certificate.span)]
    #expect(attestation.verify(intermediate, others: [], at: Minted.seconds) == .trusted)
    #expect(receipts.verify(signer, others: others, at: Minted.seconds) == .trusted)
    #expect(attestation.verify(signer, others: others, at: Minted.seconds) != .trusted)
    #expect(receipts.verify(signer, others: [], at: Minted.seconds) != .trusted)
  }

  @Test(arguments: 0..<9)
  func `no foreign chain is trusted, whatever the time`(variant: Int) throws {
    let authority = try Minted.authority.get()
    let tools = try SigningTools()
    var random = ForgeRandom(1, UInt64(variant))
    let chain = try ForeignChains.chain(variant, authority, &random, tools)
    let key = try MintedKey(.p256, &random, tools)
    let leaf = CertificateRecipe(
      serial: [5], issuer: chain.issuer.name, subject: LeafMint.subject(keyID: key.point),
      notBefore: Minted.seconds - 100, notAfter: Minted.seconds + 100, point: key.point,
      curve: .p256,
      extensions: LeafMint.extensions(appID: "a.b", nonce: nil, details: LeafDetails()),
      tampered: chain.tamperedLeaf)
    let bytes = try CertificateMint.mint(leaf, signer: chain.issuer.key, tools)
    let certificate = try Certificate(der: bytes.span)
    let others = try chain.certificates.map { try Certificate(der: $0.span) }
    let store = try TrustStore(anchors: [authority.root.certificate])
    guard case .untrusted = store.verify(certificate, others: others, at: Minted.seconds) else {
      Issue.record("trusted or only out of time")
      return
    }
  }

  @Test(arguments: [true, false], ReceiptSignature.allCases)
  func `receipts verify in both encodings`(isBER: Bool, signature: ReceiptSignature) throws {
    let authority = try Minted.authority.get()
    let recipe = receipt(authority, isBER, signature)
    let bytes = try ReceiptMint.mint(recipe, leaf: [9, 9], SigningTools())
    #expect(bytes[1] == (isBER ? 0x80 : 0x82))
    let receipt = try CMSReceipt(bytes.span)
    let tag = receipt.content.first
    #expect(tag == 0x31)
    let anchors = try TrustStore(anchors: [authority.receiptRoot.certificate])
    let failure = receipt.failure(anchors: anchors, at: Minted.seconds)
    #expect(failure == nil)
    let others = try TrustStore(anchors: [authority.root.certificate])
    let other = receipt.failure(anchors: others, at: Minted.seconds)
    #expect(other != nil)
  }

  @Test(arguments: ReceiptSignature.allCases, [true, false])
  func `a changed receipt does not verify`(signature: ReceiptSignature, inContent: Bool) throws {
    let authority = try Minted.authority.get()
    var recipe = receipt(authority, true, signature)
    recipe.tamperedContent = inContent
    recipe.tamperedSignature = !inContent
    let bytes = try ReceiptMint.mint(recipe, leaf: [9, 9], SigningTools())
    let anchors = try TrustStore(anchors: [authority.receiptRoot.certificate])
    let failure = try CMSReceipt(bytes.span).failure(anchors: anchors, at: Minted.seconds)
    #expect(failure != nil)
  }

  private func receipt(
    _ authority: SyntheticAuthority, _ isBER: Bool, _ signature: ReceiptSignature
  ) -> ReceiptRecipe {
    ReceiptRecipe(
      appID: "a.b", clientHash: [1], created: "2026-03-01T00:00:00Z",
      expires: "2026-05-30T00:00:00Z", token: [UInt8](repeating: 0x41, count: 1_500),
      isBER: isBER, signature: signature, signer: authority.receiptSigner,
      chain: [authority.receiptIntermediate, authority.receiptRoot])
  }
}
