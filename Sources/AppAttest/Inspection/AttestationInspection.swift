internal import OpenSSL

/// The result of every check of one attestation.
package struct AttestationInspection: Sendable {
  /// The steps in the order of the checks. The first is whether the token is an attestation.
  package let steps: [InspectionStep]
  /// The attestation object, or nil if the token is malformed.
  package let object: AttestationObject?
  /// The judgement of the verifier if no fact was missing. Otherwise only those parts count that
  /// need no missing fact.
  package let judged: JudgedAttestation?
  /// The receipt, or nil if it cannot be read.
  package let receipt: Receipt?
}

extension AttestationCheck {
  /// The subject of the check, in a few words.
  var title: String {
    switch self {
    case .format: "the format is apple-appattest"
    case .chainUntrusted: "the certificates chain to a trust anchor"
    case .certificateTime: "the certificates are valid at the record's time"
    case .nonceMismatch: "the leaf contains SHA-256(authData, clientDataHash)"
    case .keyIDMismatch: "the leaf's key hashes to the key identifier"
    case .publicKeyMismatch: "the COSE key is the leaf's key"
    case .appIDMismatch: "rpIdHash is that of the App ID"
    case .counterNonzero: "the sign counter is 0"
    case .environmentMismatch: "the aaguid names an environment that the app allows"
    case .credentialIDMismatch: "the credential identifier is the key identifier"
    case .accessControl: "a Mac's access control is Apple's for full security"
    case .categoryMismatch: "category and bundle version are allowed"
    case .codeMismatch: "the signed code hash is allowed"
    case .receiptInvalid: "the receipt verifies and fits"
    case .timeDisagrees: "the record's time fits Apple's signed time"
    }
  }

  /// The number of Apple's step, or empty if Apple has none.
  var apple: String {
    switch self {
    case .format, .publicKeyMismatch, .accessControl, .categoryMismatch, .codeMismatch,
      .receiptInvalid, .timeDisagrees:
      ""
    case .chainUntrusted, .certificateTime: "1"
    case .nonceMismatch: "2-4"
    case .keyIDMismatch: "5"
    case .appIDMismatch: "6"
    case .counterNonzero: "7"
    case .environmentMismatch: "8"
    case .credentialIDMismatch: "9"
    }
  }
}

extension AttestationVerifier {
  /// Runs every check whose inputs exist, and records the outcome and the compared values of each.
  /// The judgement is that of the verifier.
  package func inspect(token: Span<UInt8>, of record: InspectedRecord) -> AttestationInspection {
    let title = "the token is an attestation object"
    let object: AttestationObject
    do throws(MalformedToken) {
      object = try AttestationObject.parse(token)
    } catch {
      var steps = [
        InspectionStep(.attestationForm, apple: "", title: title, outcome: .failed(error.reason))
      ]
      steps += AttestationCheck.allCases.map { check in
        InspectionStep(
          .attestation(check), apple: check.apple, title: check.title,
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
      InspectionStep(.attestationForm, apple: "", title: title, outcome: .passed)
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
    switch reading {
    case .unreadable(let reason): return ["The receipt is \(reason)."]
    case .content(let content, let unverified):
      var failures = unverified.map { ["The receipt does not verify: \($0)."] } ?? []
      guard let fields = ReceiptFields(content) else {
        return failures + ["The receipt's content is not a set of fields."]
      }
      let attestation = AttestationUnderTest(
        content: object.content, leaf: LeafFacts(leaf), nonce: judged.nonce, matchesApp: true,
        appIndex: judged.appIndex, record: record)
      let isHashKnown = !record.clientDataHash.isEmpty && !judged.isNonceUnchecked
      for field in ReceiptField.allCases where field != .clientHash || isHashKnown {
        if let failure = field.failure(
          in: fields, of: attestation, clientDataHash: record.clientDataHash.span, apps: apps)
        {
          failures.append(failure)
        }
      }
      return failures
    }
  }
}
