/// The judgement on a token that should be an attestation.
public enum AttestationJudgement: Sendable {
  /// It is none; one English sentence why. No check was run.
  case malformed(String)
  case judged(JudgedAttestation)
}

/// An attestation after all its checks. Only ``AttestationVerifier`` makes one.
public struct JudgedAttestation: Sendable, Equatable {
  /// In the order of ``AttestationCheck``.
  public internal(set) var failures: [FailedCheck] = []
  /// Nil unless the attestation is valid.
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
  /// [1400] of extension 1.2.840.113635.100.8.7; empty where there is none.
  public internal(set) var osVersion: String
  public internal(set) var category: ValidationCategory?
  /// Empty where there is none.
  public internal(set) var bundleVersion: String
  /// What the receipt says, whether or not that holds, or nil if it cannot be read or was not
  /// looked at.
  public internal(set) var receipt: ReceiptFacts?
}

/// A valid attestation: it failed no check but those of ``AttestationCheck/leavesValid``. Only
/// ``AttestationVerifier`` makes one.
public struct VerifiedAttestation: Sendable, Equatable {
  /// The key of the record.
  public let keyIdentifier: Digest256
  /// X9.62 uncompressed point, 65 bytes, on P-256, whose SHA-256 is the key identifier.
  public let publicKey: [UInt8]
  /// The index of the configured app.
  public let appIndex: Int
  public let environment: AttestEnvironment
}

/// The fields of a receipt.
public struct ReceiptFacts: Sendable, Equatable {
  /// Field 6.
  public let type: String
  /// Field 12, milliseconds since 1970.
  public let creationTime: Int64?
  /// Field 17; empty where there is none.
  public let riskMetric: String
}
