internal import OpenSSL

/// A verifier that judges attestations (Apple, "Validating apps that connect to your server"), each
/// on its own and at its own time. It may be shared by threads. It uses no clock and no I/O.
public final class AttestationVerifier: Sendable {
  /// The configured apps, by the index that judgements name.
  public let apps: ConfiguredApps
  private let trust: TrustAnchors
  let receiptTrust: TrustAnchors?
  let receipts: ReceiptPolicy
  let macOSAccessControl: MacOSAccessControlPolicy
  private let attestationMaxAge: Int64
  /// The issuers and signers that are remembered, or nil if none are.
  private let known: KnownAuthorities?

  /// The tolerance for a record's time before Apple's signed time, in milliseconds.
  public static let clockTolerance: Int64 = 300_000

  /// Makes a verifier of the attestations of some apps, with DER certificates that end chains.
  /// `attestationMaxAge` is the tolerance for a record's time after Apple's signed time, in
  /// milliseconds. `caching` remembers chains that were found, and changes no judgement.
  public init(
    apps: ConfiguredApps, trustAnchors: [[UInt8]], receiptAnchors: [[UInt8]],
    receipts: ReceiptPolicy = .verify, macOSAccessControl: MacOSAccessControlPolicy = .verify,
    attestationMaxAge: Int64 = 86_400_000, caching: Bool = true
  ) throws(TrustAnchorError) {
    self.apps = apps
    trust = try TrustAnchors(der: trustAnchors)
    receiptTrust = receipts == .verify ? try TrustAnchors(der: receiptAnchors) : nil
    self.receipts = receipts
    self.macOSAccessControl = macOSAccessControl
    self.attestationMaxAge = attestationMaxAge
    known = caching ? KnownAuthorities() : nil
  }

  /// Runs every check whose inputs exist. `clientDataHash` is what the app passed to App Attest,
  /// `appID` the app that the record names, if any, and `time` is in milliseconds since 1970.
  public func judge(
    token: Span<UInt8>, keyIdentifier: Digest256, clientDataHash: Span<UInt8>, appID: String?,
    time: Int64
  ) -> AttestationJudgement {
    judge(
      token: token,
      of: AttestationRecord(
        keyIdentifier: keyIdentifier, clientDataHash: clientDataHash.copied(), appID: appID,
        time: time))
  }

  package func judge(
    token: Span<UInt8>, of record: AttestationRecord
  ) -> AttestationJudgement {
    let object: AttestationObject
    do throws(MalformedToken) {
      object = try AttestationObject.parse(token)
    } catch {
      return .malformed(error.reason)
    }
    guard let leaf = object.certificates.first else {
      return .malformed("The attestation has no certificate.")
    }
    let others = Array(object.certificates.dropFirst())
    let seconds = wholeSeconds(record.time)
    let (verdict, above) = trust.store.verify(leaf, others: others, at: seconds)
    var chain = ChainOutcome(verdict: verdict)
    if chain.verdict == .timeOnly {
      chain.fault = trust.store.timeFault(
        of: leaf, "the leaf certificate", others: others, at: seconds)
    }
    if let above { known?.remember(above, among: others) }
    return .judged(
      judge(object.content, LeafFacts(leaf), chain: chain, of: record) {
        var signer: VerifiedSigner?
        let reading = ReceiptReading(
          object.receipt, anchors: receiptTrust?.store, time: record.time, signer: &signer)
        if let signer { known?.remember(signer, of: object.receipt) }
        return reading
      })
  }

  /// Runs every check, given that of the certificates, with the receipt only if it is examined.
  private func judge(
    _ content: consuming AttestationContent, _ leaf: consuming LeafFacts, chain: ChainOutcome,
    of record: AttestationRecord, receipt: () -> ReceiptReading
  ) -> JudgedAttestation {
    let (matches, appIndex) = apps.judge(
      appID: record.appID, rpIDHash: content.authenticatorData.rpIDHash)
    let nonce = Digest256.sha256(content.authData.span, record.clientDataHash.span)
    let attestation = AttestationUnderTest(
      content: consume content, leaf: consume leaf, nonce: nonce, matchesApp: matches,
      appIndex: appIndex, record: record)
    var judged = attestation.unjudged
    judged.failures = attestation.failures(
      apps: apps, chain: chain, macOSAccessControl: macOSAccessControl)
    func note(_ check: AttestationCheck, _ detail: String?) {
      if let detail { judged.failures.append(FailedCheck(check: check, detail: detail)) }
    }
    if receipts != .ignore {
      let judgement = ReceiptJudgement(
        attestation, receipt(), isVerified: receiptTrust != nil, apps: apps)
      note(.receiptInvalid, judgement.failures.first)
      judged.receipt = judgement.facts
      judged.signedTime = judgement.signedTime
    }
    if judged.signedTime == nil, chain.isTrusted {
      judged.signedTime = attestation.leaf.serialTime
    }
    if let signed = judged.signedTime {
      note(.timeDisagrees, attestation.timeDisagrees(with: signed, maxAge: attestationMaxAge))
    }
    if judged.failures.allSatisfy({ $0.check.leavesValid }), let key = judged.publicKey,
      let appIndex, let environment = judged.environment
    {
      judged.verified = VerifiedAttestation(
        keyIdentifier: record.keyIdentifier, publicKey: key, appIndex: appIndex,
        environment: environment, origin: judged.origin, extensions: judged.extensions)
    }
    return judged
  }

  // MARK: Without OpenSSL

  /// Reads an attestation of the ordinary form whose issuer and signer are known, and judges all
  /// but its signatures and its point. Returns nil if ``judge(token:of:)`` has to, which makes them
  /// known.
  package func read(token: Span<UInt8>, of record: AttestationRecord) -> OrdinaryAttestation? {
    guard let known, let statement = try? AttestationStatement(token),
      statement.certificates.count == 2,
      let content = try? AttestationContent(statement, token)
    else { return nil }
    let seconds = wholeSeconds(record.time)
    let bytes = statement.certificates[0].copy(from: token)
    guard let issuer = statement.certificates[1].withSpan(in: token, { known.issuer($0) }),
      issuer.validity.contains(seconds), let leaf = OrdinaryLeaf(bytes.span),
      leaf.validity.contains(seconds),
      bytes.span.extracting(leaf.issuer).equals(issuer.name.span),
      let signature = PendingSignature(
        bytes.span.extracting(leaf.signature),
        over: [.sha256(bytes.span.extracting(leaf.signed))], by: issuer.key)
    else { return nil }
    var receipt: (content: [UInt8], signature: PendingSignature?)?
    if receipts != .ignore, let stated = statement.receipt, !stated.range.isEmpty {
      receipt = stated.withSpan(in: token) { walk($0, known, at: seconds) }
      guard receipt != nil else { return nil }
    }
    let facts = LeafFacts(leaf, of: bytes)
    let judged = judge(content, facts, chain: ChainOutcome(verdict: .trusted), of: record) {
      receipt.map { .content($0.content, unverified: nil) } ?? .missing
    }
    let signatures = (receipt?.signature).map { [signature, $0] } ?? [signature]
    return OrdinaryAttestation(judgement: judged, signatures: signatures)
  }

  /// Walks a receipt, or returns nil if OpenSSL has to read it. The signature is that of a known signer, or nil if receipts
  /// are not verified.
  private func walk(
    _ bytes: Span<UInt8>, _ known: KnownAuthorities, at seconds: Int64
  ) -> (content: [UInt8], signature: PendingSignature?)? {
    guard let receipt = OrdinaryReceipt(bytes) else { return nil }
    guard receiptTrust != nil else { return (receipt.content, nil) }
    let signer = known.signer(
      bytes.extracting(receipt.certificates), bytes.extracting(receipt.signerName))
    guard let signer, signer.validity.contains(seconds),
      let signature = PendingSignature(
        bytes.extracting(receipt.signature), over: receipt.digests, by: signer.key)
    else { return nil }
    return (receipt.content, signature)
  }
}
