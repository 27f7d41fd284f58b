package import AppAttest
internal import AuditLog
package import FindingCodes

extension FindingCode {
  init(_ code: Reject.Code) {
    switch code {
    case .malformedJSON: self = .recordMalformedJSON
    case .missingField: self = .recordMissingField
    case .badEncoding: self = .recordBadEncoding
    case .ambiguousField: self = .recordAmbiguousField
    }
  }

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
      case .accessControl: .attestationAccessControl
      case .categoryMismatch: .attestationCategoryMismatch
      case .codeMismatch: .attestationCodeMismatch
      case .receiptInvalid: .attestationReceiptInvalid
      case .timeDisagrees: .attestationTimeDisagrees
      }
  }
}

extension AttestedFacts {
  /// Makes the facts of a valid attestation, with those of a valid receipt (`reports.R35`).
  init(_ verified: VerifiedAttestation, _ judged: JudgedAttestation) {
    let hasReceipt = !judged.failures.contains { $0.check == .receiptInvalid }
    self.init(
      publicKey: verified.publicKey, environment: verified.environment,
      facts: KeyFacts(judged, hasReceipt ? judged.receipt : nil))
  }
}
