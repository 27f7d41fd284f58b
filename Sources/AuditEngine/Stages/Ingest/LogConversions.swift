internal import AppAttest
internal import AuditLog

extension RecordKind {
  /// The kind that the log names.
  init(_ kind: LogRecordKind) {
    switch kind {
    case .attestation: self = .attestation
    case .assertion: self = .assertion
    case .challenge: self = .challenge
    }
  }
}

extension Decision {
  /// The decision that the log names.
  init(_ decision: LogDecision) {
    switch decision {
    case .unknown: self = .unknown
    case .accepted: self = .accepted
    case .rejected: self = .rejected
    }
  }
}

extension FindingCode {
  /// The code of a reject.
  init(_ code: Reject.Code) {
    switch code {
    case .malformedJSON: self = .recordMalformedJSON
    case .missingField: self = .recordMissingField
    case .badEncoding: self = .recordBadEncoding
    case .ambiguousField: self = .recordAmbiguousField
    }
  }

  /// The code of a failed check.
  init(_ check: AttestationCheck) {
    guard let code = FindingCode(name: check.code) else {
      preconditionFailure("a check of attestations has no finding code")
    }
    self = code
  }
}

extension AttestedFacts {
  /// What a valid attestation tells the registry.
  init(_ verified: VerifiedAttestation, _ judged: JudgedAttestation) {
    self.init(
      publicKey: verified.publicKey, environment: verified.environment,
      osVersion: judged.osVersion, category: judged.category,
      bundleVersion: judged.bundleVersion, receiptType: judged.receipt?.type ?? "",
      receiptCreated: judged.receipt?.creationTime, riskMetric: judged.receipt?.riskMetric ?? "")
  }
}
