/// The judgement on a token that should be an attestation.
public enum AttestationJudgement: Sendable {
  /// The token is not an attestation. One English sentence gives the reason. No check was run.
  case malformed(String)
  case judged(JudgedAttestation)
}

/// An attestation after all its checks. Only ``AttestationVerifier`` makes one.
public struct JudgedAttestation: Sendable, Equatable {
  /// The failed checks, in the order of ``AttestationCheck``.
  public internal(set) var failures: [FailedCheck] = []
  /// The facts of a valid attestation, or nil if the attestation is not valid.
  public internal(set) var verified: VerifiedAttestation?
  /// The index of the configured app, or nil if it is none of them.
  public internal(set) var appIndex: Int?
  /// The environment that the aaguid names.
  public internal(set) var environment: AttestEnvironment?
  /// The leaf's X9.62 uncompressed point, 65 bytes, or nil if the leaf's key is not on P-256.
  public internal(set) var publicKey: [UInt8]?
  public internal(set) var counter: UInt32
  /// SHA-256(authData ‖ clientDataHash).
  public internal(set) var nonce: Digest256
  /// The system that made the key.
  public internal(set) var origin: KeyOrigin
  /// The facts about the app that Apple's system signed.
  public internal(set) var extensions: AuthenticatorExtensions
  /// Apple's signed time (`verification.R43`), in milliseconds since 1970, or nil.
  public internal(set) var signedTime: Int64?
  /// Whether the nonce does not match client data that the log did not keep as it was
  /// (`verification.R42`): neither the nonce nor the receipt's client hash is then checked.
  package internal(set) var isNonceUnchecked = false
  /// The fields of the receipt, valid or not, or nil if it was not read.
  public internal(set) var receipt: ReceiptFacts?
}

/// A valid attestation: it failed no check but those of ``AttestationCheck/leavesValid``.
public struct VerifiedAttestation: Sendable, Equatable {
  /// The key of the record.
  public let keyIdentifier: Digest256
  /// X9.62 uncompressed point, 65 bytes, on P-256, whose SHA-256 is the key identifier.
  public let publicKey: [UInt8]
  /// The index of the configured app.
  public let appIndex: Int
  public let environment: AttestEnvironment
  /// The system that made the key: its platform and the key's access control.
  public let origin: KeyOrigin
  /// The category, bundle version and code hash of the attesting app, as Apple's system signed them.
  public let extensions: AuthenticatorExtensions
}

/// The fields of a receipt.
public struct ReceiptFacts: Sendable, Equatable {
  /// The type (field 6).
  public let type: String
  /// The creation time (field 12), in milliseconds since 1970.
  public let creationTime: Int64?
  /// The risk metric (field 17), or empty if the receipt has none.
  public let riskMetric: String
}

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
