/// The checks of an attestation that is well-formed, in the order in which they are run.
public enum AttestationCheck: UInt8, CaseIterable, Sendable {
  case format
  case chainUntrusted
  case certificateTime
  case nonceMismatch
  case keyIDMismatch
  case publicKeyMismatch
  case appIDMismatch
  case counterNonzero
  case environmentMismatch
  case credentialIDMismatch
  case categoryMismatch
  case receiptInvalid
  case timeDisagrees

  /// The code that reports carry.
  package var code: String {
    switch self {
    case .format: "attestation.format"
    case .chainUntrusted: "attestation.chain_untrusted"
    case .certificateTime: "attestation.certificate_time"
    case .nonceMismatch: "attestation.nonce_mismatch"
    case .keyIDMismatch: "attestation.key_id_mismatch"
    case .publicKeyMismatch: "attestation.public_key_mismatch"
    case .appIDMismatch: "attestation.app_id_mismatch"
    case .counterNonzero: "attestation.counter_nonzero"
    case .environmentMismatch: "attestation.environment_mismatch"
    case .credentialIDMismatch: "attestation.credential_id_mismatch"
    case .categoryMismatch: "attestation.category_mismatch"
    case .receiptInvalid: "attestation.receipt_invalid"
    case .timeDisagrees: "attestation.time_disagrees"
    }
  }

  /// Whether an attestation that fails this is still valid: it tells of a clock, a client or a
  /// policy, not of another key.
  public var leavesValid: Bool {
    switch self {
    case .receiptInvalid, .timeDisagrees, .categoryMismatch: true
    default: false
    }
  }
}

/// A check that failed.
public struct FailedCheck: Sendable, Equatable {
  /// Which check.
  public let check: AttestationCheck
  /// One English sentence.
  public let detail: String
}
