internal import OpenSSL

package struct AttestationInspection: Sendable {
  /// The steps in the order of the checks. The first is whether the token is an attestation.
  package let steps: [InspectionStep]
  /// The attestation object, or nil if the token is malformed.
  package let object: AttestationObject?
  /// The judgement of the verifier. If a fact was missing, only parts count that do not need it.
  package let judged: JudgedAttestation?
  package let receipt: Receipt?
}

extension AttestationCheck {
  /// The number of Apple's step, or empty if Apple has none, and the subject in a few words.
  var words: (apple: String, title: String) {
    switch self {
    case .format: ("", "the format is apple-appattest")
    case .chainUntrusted: ("1", "the certificates chain to a trust anchor")
    case .certificateTime: ("1", "the certificates are valid at the record's time")
    case .nonceMismatch: ("2-4", "the leaf contains SHA-256(authData, clientDataHash)")
    case .keyIDMismatch: ("5", "the leaf's key hashes to the key identifier")
    case .publicKeyMismatch: ("", "the COSE key is the leaf's key")
    case .appIDMismatch: ("6", "rpIdHash is that of the App ID")
    case .counterNonzero: ("7", "the sign counter is 0")
    case .environmentMismatch: ("8", "the aaguid names an environment that the app allows")
    case .credentialIDMismatch: ("9", "the credential identifier is the key identifier")
    case .accessControl: ("", "a Mac's access control is Apple's for full security")
    case .categoryMismatch: ("", "category and bundle version are allowed")
    case .codeMismatch: ("", "the signed code hash is allowed")
    case .receiptInvalid: ("", "the receipt verifies and fits")
    case .timeDisagrees: ("", "the record's time fits Apple's signed time")
    }
  }
}

extension AttestationVerifier {
  /// Runs every check whose inputs exist, by the verifier, with the compared values of each.
  package func inspect(token: Span<UInt8>, of record: InspectedRecord) -> AttestationInspection {
    let title = "the token is an attestation object"
    let object: AttestationObject
    do throws(MalformedToken) {
      object = try AttestationObject.parse(token)
    } catch {
      var steps = [
        InspectionStep(
          check: .attestationForm, apple: "", title: title, outcome: .failed(error.reason))
      ]
      steps += AttestationCheck.allCases.map { check in
        InspectionStep(
          check: .attestation(check), apple: check.words.apple, title: check.words.title,
          outcome: .notChecked("the token is malformed"))
      }
      return AttestationInspection(steps: steps, object: nil, judged: nil, receipt: nil)
    }
    // Without a time the certificates are judged while the leaf was valid.
    let time = record.time ?? (object.certificates.first?.validity?.lowerBound ?? 0) * 1000
    let complete = AttestationRecord(
      keyIdentifier: record.keyIdentifier ?? Digest256(),
      clientDataHash: record.clientDataHash ?? [], appID: record.appID, time: time,
      isLossy: record.isLossy)
    guard case .judged(let judged) = judge(token: token, of: complete) else {
      return AttestationInspection(steps: [], object: object, judged: nil, receipt: nil)
    }
    let view = InspectionView(
      object: object, judged: judged, record: record, apps: apps, receipts: receipts,
      macOSAccessControl: macOSAccessControl,
      receipt: receiptOutcome(object, judged, complete))
    var steps = [
      InspectionStep(check: .attestationForm, apple: "", title: title, outcome: .passed)
    ]
    steps += AttestationCheck.allCases.map(view.step)
    return AttestationInspection(
      steps: steps, object: object, judged: judged,
      receipt: try? Receipt.parse(object.receipt.span))
  }

  /// Returns all faults of the receipt, or none if it is valid. The verifier stops at the first.
  private func receiptOutcome(
    _ object: AttestationObject, _ judged: JudgedAttestation, _ record: AttestationRecord
  ) -> [String] {
    guard receipts != .ignore, let leaf = object.certificates.first else { return [] }
    var signer: VerifiedSigner?
    let reading = ReceiptReading(
      object.receipt, anchors: receiptTrust?.store, time: record.time, signer: &signer)
    let attestation = AttestationUnderTest(
      content: object.content, leaf: LeafFacts(leaf), nonce: judged.nonce, matchesApp: true,
      appIndex: judged.appIndex, record: record)
    return ReceiptJudgement(
      attestation, reading, isVerified: receiptTrust != nil, apps: apps,
      knowsHash: !record.clientDataHash.isEmpty
    ).failures
  }
}
