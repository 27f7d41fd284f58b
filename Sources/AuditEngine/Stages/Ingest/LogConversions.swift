package import AppAttest
internal import AuditLog
package import FindingCodes

extension FindingCode {
  /// Makes the code of a reject.
  init(_ code: Reject.Code) {
    switch code {
    case .malformedJSON: self = .recordMalformedJSON
    case .missingField: self = .recordMissingField
    case .badEncoding: self = .recordBadEncoding
    case .ambiguousField: self = .recordAmbiguousField
    }
  }

  /// Makes the code of a failed check.
  package init(_ check: AttestationCheck) {
    self =
      switch check {
      case .format: .attestationFormat
      case .chainUntrusted: .attestationChainUntrusted
      case .certificateTime: .attestationCertificateTime
      case .nonceMismatch: .attestationNonceMismatch
      case .keyIDMismatch: .attestationKeyIDMismatch
      case .publicKeyMismatch: .attestationPublicKeyMismatch
      case .appIDMismatch: .attestationAppIDMismatch
      case .counterNonzero: .attestationCounterNonzero
      case .environmentMismatch: .attestationEnvironmentMismatch
      case .credentialIDMismatch: .attestationCredentialIDMismatch
      case .categoryMismatch: .attestationCategoryMismatch
      case .receiptInvalid: .attestationReceiptInvalid
      case .timeDisagrees: .attestationTimeDisagrees
      }
  }
}

extension AttestedFacts {
  /// Makes the facts of a valid attestation for the registry.
  init(_ verified: VerifiedAttestation, _ judged: JudgedAttestation) {
    self.init(
      publicKey: verified.publicKey, environment: verified.environment,
      osVersion: judged.osVersion, category: judged.category,
      bundleVersion: judged.bundleVersion, receiptType: judged.receipt?.type ?? "",
      receiptCreated: judged.receipt?.creationTime, riskMetric: judged.receipt?.riskMetric ?? "")
  }
}
