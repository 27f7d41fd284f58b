/// Every code a finding can have, in the byte order of the codes' names, so that raw values sort
/// as the names do.
package enum FindingCode: UInt8, Sendable, CaseIterable {
  case assertionAppIDMismatch
  case assertionCategoryMismatch
  case assertionMalformed
  case assertionSignatureInvalid
  case attestationAppIDMismatch
  case attestationCategoryMismatch
  case attestationCertificateTime
  case attestationChainUntrusted
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
  case recordDuplicate
  case recordMalformedJSON
  case recordMissingField
  case recordNotAudited
  case recordOddEncoding
  case recordPlatformMismatch
  case replayAssertion
  case replayAttestation
  case replayClientDataHash
  case replayCrossKey
  case replayRetry
  case streamCorrupt
  case streamTruncated
  case streamUnreadable
}

extension FindingCode {
  /// The public code.
  package var name: String {
    switch self {
    case .assertionAppIDMismatch: "assertion.app_id_mismatch"
    case .assertionCategoryMismatch: "assertion.category_mismatch"
    case .assertionMalformed: "assertion.malformed"
    case .assertionSignatureInvalid: "assertion.signature_invalid"
    case .attestationAppIDMismatch: "attestation.app_id_mismatch"
    case .attestationCategoryMismatch: "attestation.category_mismatch"
    case .attestationCertificateTime: "attestation.certificate_time"
    case .attestationChainUntrusted: "attestation.chain_untrusted"
    case .attestationCounterNonzero: "attestation.counter_nonzero"
    case .attestationCredentialIDMismatch: "attestation.credential_id_mismatch"
    case .attestationEnvironmentMismatch: "attestation.environment_mismatch"
    case .attestationFormat: "attestation.format"
    case .attestationKeyIDMismatch: "attestation.key_id_mismatch"
    case .attestationMalformed: "attestation.malformed"
    case .attestationNonceMismatch: "attestation.nonce_mismatch"
    case .attestationPublicKeyMismatch: "attestation.public_key_mismatch"
    case .attestationReceiptInvalid: "attestation.receipt_invalid"
    case .attestationTimeDisagrees: "attestation.time_disagrees"
    case .challengeExpired: "challenge.expired"
    case .challengeNotIssued: "challenge.not_issued"
    case .challengeWeak: "challenge.weak"
    case .counterGap: "counter.gap"
    case .counterRegression: "counter.regression"
    case .counterReordered: "counter.reordered"
    case .counterRepeated: "counter.repeated"
    case .counterServerMismatch: "counter.server_mismatch"
    case .decisionRejectedValid: "decision.rejected_valid"
    case .keyReattested: "key.reattested"
    case .keySubjectChanged: "key.subject_changed"
    case .keyUnknown: "key.unknown"
    case .keyUntrusted: "key.untrusted"
    case .keyUsedBeforeAttestation: "key.used_before_attestation"
    case .recordAmbiguousField: "record.ambiguous_field"
    case .recordBadEncoding: "record.bad_encoding"
    case .recordClientDataHashMismatch: "record.client_data_hash_mismatch"
    case .recordDuplicate: "record.duplicate"
    case .recordMalformedJSON: "record.malformed_json"
    case .recordMissingField: "record.missing_field"
    case .recordNotAudited: "record.not_audited"
    case .recordOddEncoding: "record.odd_encoding"
    case .recordPlatformMismatch: "record.platform_mismatch"
    case .replayAssertion: "replay.assertion"
    case .replayAttestation: "replay.attestation"
    case .replayClientDataHash: "replay.client_data_hash"
    case .replayCrossKey: "replay.cross_key"
    case .replayRetry: "replay.retry"
    case .streamCorrupt: "stream.corrupt"
    case .streamTruncated: "stream.truncated"
    case .streamUnreadable: "stream.unreadable"
    }
  }

  /// The code of that name, or nil.
  package init?(name: String) {
    guard let match = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = match
  }

  /// The severity before the server's decision and the pipeline file are considered.
  package var defaultSeverity: Severity {
    switch self {
    case .counterRepeated, .replayAssertion, .replayAttestation:
      .critical
    case .attestationReceiptInvalid, .attestationTimeDisagrees, .challengeExpired,
      .counterServerMismatch, .keyReattested, .keySubjectChanged, .keyUsedBeforeAttestation,
      .recordAmbiguousField, .recordBadEncoding, .recordMalformedJSON, .recordMissingField,
      .recordPlatformMismatch:
      .medium
    case .challengeWeak, .decisionRejectedValid, .recordOddEncoding:
      .low
    case .counterGap, .counterReordered, .recordDuplicate, .replayRetry:
      .info
    default:
      .high
    }
  }

  /// Whether the server's own decision raises or lowers the severity: findings of verification,
  /// keys, counters and replays.
  package var followsDecision: Bool {
    switch self {
    case .recordClientDataHashMismatch: true
    case .challengeExpired, .challengeNotIssued, .challengeWeak, .decisionRejectedValid,
      .recordAmbiguousField, .recordBadEncoding, .recordDuplicate, .recordMalformedJSON,
      .recordMissingField, .recordNotAudited, .recordOddEncoding, .recordPlatformMismatch,
      .streamCorrupt, .streamTruncated, .streamUnreadable:
      false
    default: true
    }
  }
}
