/// Every code of findings, in the byte order of the names, so that raw values sort like these.
package enum FindingCode: UInt8, Sendable, CaseIterable {
  case assertionAppIDMismatch
  case assertionCategoryMismatch
  case assertionCodeMismatch
  case assertionMalformed
  case assertionSignatureInvalid
  case attestationAccessControl
  case attestationAppIDMismatch
  case attestationCategoryMismatch
  case attestationCertificateTime
  case attestationChainUntrusted
  case attestationCodeMismatch
  case attestationCounterNonzero
  case attestationCredentialIDMismatch
  case attestationEnvironmentMismatch
  case attestationFormat
  case attestationKeyIDMismatch
  case attestationMalformed
  case attestationNonceMismatch
  case attestationPublicKeyMismatch
  case attestationReceiptInvalid
  case attestationTimeDisagrees
  case challengeExpired
  case challengeNotIssued
  case challengeWeak
  case counterGap
  case counterRegression
  case counterReordered
  case counterRepeated
  case counterServerMismatch
  case decisionRejectedValid
  case keyReattested
  case keySubjectChanged
  case keyUnknown
  case keyUntrusted
  case keyUsedBeforeAttestation
  case recordAmbiguousField
  case recordBadEncoding
  case recordClientDataHashMismatch
  case recordClientDataLossy
  case recordDuplicate
  case recordMalformedJSON
  case recordMissingField
  case recordNotAudited
  case recordOddEncoding
  case recordOddJSON
  case recordPlatformMismatch
  case replayAssertion
  case replayAttestation
  case replayClientDataHash
  case replayCrossKey
  case replayRetry
  case streamCorrupt
  case streamMissing
  case streamTruncated
  case streamUnreadable
}

/// The effect of the server's own decision on a severity (`detection.md`, "The server's own decision").
extension FindingCode {
  /// Whether an accepted request makes high critical, and a rejected one all above low low.
  package var followsDecision: Bool {
    switch self {
    case .challengeExpired, .challengeNotIssued, .challengeWeak, .decisionRejectedValid,
      .recordMalformedJSON, .recordNotAudited, .recordOddEncoding, .recordOddJSON,
      .recordPlatformMismatch, .streamCorrupt, .streamMissing, .streamTruncated, .streamUnreadable:
      false
    default: !hidesAcceptedRequest
    }
  }

  /// Whether it keeps a request out of the audit that may be accepted. Its severity is never lowered.
  package var hidesAcceptedRequest: Bool {
    switch self {
    case .recordAmbiguousField, .recordBadEncoding, .recordClientDataLossy, .recordMissingField:
      true
    default: false
    }
  }
}
