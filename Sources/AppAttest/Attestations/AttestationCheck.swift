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

  /// True where an attestation that fails this check is still valid. Such a check concerns a clock,
  /// a client or a policy, not the key.
  public var leavesValid: Bool {
    switch self {
    case .receiptInvalid, .timeDisagrees, .categoryMismatch: true
    default: false
    }
  }
}

/// A check that failed.
public struct FailedCheck: Sendable, Equatable {
  /// The check that failed.
  public let check: AttestationCheck
  /// One English sentence.
  public let detail: String
}
