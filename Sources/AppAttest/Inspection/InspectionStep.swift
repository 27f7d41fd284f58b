/// The part that a step of an inspection examines.
package enum InspectedCheck: Sendable, Hashable {
  case attestationForm
  case attestation(AttestationCheck)
  case assertionForm
  case assertion(AssertionCheck)
}

/// One check and its outcome, for people. It is never "passed" if the check could not be run.
package struct InspectionStep: Sendable {
  package enum Outcome: Sendable, Equatable {
    case passed
    /// One sentence.
    case failed(String)
    /// The missing fact, as a clause without a full stop.
    case notChecked(String)
  }

  /// Two values that a check compares.
  package struct Comparison: Encodable, Sendable, Equatable {
    package let name: String
    package let expected: String
    package let found: String
  }

  package let check: InspectedCheck
  /// The number of the step in Apple's text, such as `2-4`, or empty if it has none.
  package let apple: String
  /// The subject of the check, in a few words.
  package let title: String
  package var outcome: Outcome
  package var compared: [Comparison] = []

  package var hasFailed: Bool {
    if case .failed = outcome { return true }
    return false
  }
}

/// The known facts about a token that is inspected. Each fact that is nil leaves checks unrun.
package struct InspectedRecord: Sendable {
  package var keyIdentifier: Digest256?
  /// The bytes that the app passed to App Attest. They are opaque.
  package var clientDataHash: [UInt8]?
  /// The app that the record names, or nil if it names none.
  package var appID: String?
  /// The time of the record, in milliseconds since 1970.
  package var time: Int64?
  /// The public key of an assertion's key: X9.62 uncompressed point, 65 bytes.
  package var publicKey: [UInt8]?
  /// The index of the configured app that an assertion's key was attested for.
  package var attestedApp: Int?
  /// Whether the client data contains U+FFFD, so that it may not be what the device signed.
  package var isLossy = false

  package init(
    keyIdentifier: Digest256? = nil, clientDataHash: [UInt8]? = nil, appID: String? = nil,
    time: Int64? = nil
  ) {
    self.keyIdentifier = keyIdentifier
    self.clientDataHash = clientDataHash
    self.appID = appID
    self.time = time
  }
}

extension InspectionStep.Outcome {
  /// The outcome of a check of client data that the log did not keep (`verification.R42`).
  static let lossy = Self.notChecked(
    "the client data contains U+FFFD, where the device may have signed other bytes")
}
