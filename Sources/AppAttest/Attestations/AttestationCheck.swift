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
  case accessControl
  case categoryMismatch
  case codeMismatch
  case receiptInvalid
  case timeDisagrees

  /// Whether an attestation that fails it is still valid (`verification.R20`): not about the key.
  public var leavesValid: Bool {
    switch self {
    case .receiptInvalid, .timeDisagrees, .categoryMismatch, .codeMismatch: true
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
