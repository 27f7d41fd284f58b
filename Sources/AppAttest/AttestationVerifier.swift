internal import OpenSSL

/// Judges attestations (Apple, "Validating apps that connect to your server"), each by itself and
/// at its own time. Shared by threads; no clock, no I/O.
public final class AttestationVerifier: Sendable {
  /// The configured apps, by the index that judgements name.
  public let apps: ConfiguredApps
  private let trust: TrustAnchors
  private let receiptTrust: TrustAnchors?
  private let receipts: ReceiptPolicy
  private let attestationMaxAge: Int64

  /// How far a record's time may lie before Apple's signed time of the attestation, milliseconds.
  public static let clockTolerance: Int64 = 300_000

  /// - Parameters:
  ///   - trustAnchors: DER certificates that end an attestation's chain; at least one.
  ///   - receiptAnchors: DER certificates that end a receipt's chain; needed to verify receipts.
  ///   - attestationMaxAge: How far a record's time may lie behind Apple's signed time of the
  ///     attestation, milliseconds.
  ///   - caching: Whether chains found are remembered, which changes no judgement.
  public init(
    apps: ConfiguredApps, trustAnchors: [[UInt8]], receiptAnchors: [[UInt8]],
    receipts: ReceiptPolicy = .verify, attestationMaxAge: Int64 = 86_400_000,
    caching: Bool = true
  ) throws(TrustAnchorError) {
    self.apps = apps
    trust = try TrustAnchors(der: trustAnchors, caching: caching)
    receiptTrust =
      receipts == .verify ? try TrustAnchors(der: receiptAnchors, caching: caching) : nil
    self.receipts = receipts
    self.attestationMaxAge = attestationMaxAge
  }

  /// Runs every check whose inputs exist.
  ///
  /// - Parameters:
  ///   - token: The attestation object.
  ///   - clientDataHash: What the app passed to App Attest: opaque bytes.
  ///   - appID: The app that the record names; nil where it names none.
  ///   - time: The record's time, milliseconds since 1970; certificates are judged at whole
  ///     seconds.
  public func judge(
    token: Span<UInt8>, keyIdentifier: Digest256, clientDataHash: Span<UInt8>, appID: String?,
    time: Int64
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
    let (matches, appIndex) = apps.judge(
      appID: appID, rpIDHash: object.authenticatorData.rpIDHash)
    let attestation = AttestationUnderTest(
      object: object, leaf: leaf, keyIdentifier: keyIdentifier,
      nonce: .sha256(object.authData.span, clientDataHash), publicKey: leaf.p256Point,
      matchesApp: matches, appIndex: appIndex, appID: appID)
    var judged = attestation.unjudged
    judged.failures = attestation.failures(apps: apps, trust: trust.store, time: time)
    if receipts != .ignore {
      let judgement = ReceiptJudgement(
        attestation, clientDataHash: clientDataHash, apps: apps, anchors: receiptTrust?.store,
        time: time)
      judged.failures += judgement.failures(time: time, maxAge: attestationMaxAge)
      judged.receipt = judgement.facts
    }
    if judged.failures.allSatisfy({ $0.check.leavesValid }), let key = judged.publicKey,
      let appIndex, let environment = judged.environment
    {
      judged.verified = VerifiedAttestation(
        keyIdentifier: keyIdentifier, publicKey: key, appIndex: appIndex,
        environment: environment)
    }
    return .judged(judged)
  }
}
