internal import AuditLog

/// The codes found for one record, as bits.
struct CodeSet: Equatable, Sendable {
  var bits: UInt64 = 0

  init(bits: UInt64 = 0) { self.bits = bits }

  init(_ codes: [FindingCode]) {
    for code in codes { insert(code) }
  }

  var isEmpty: Bool { bits == 0 }

  func contains(_ code: FindingCode) -> Bool { bits >> UInt64(code.rawValue) & 1 == 1 }

  mutating func insert(_ code: FindingCode) { bits |= 1 << UInt64(code.rawValue) }

  func subtracting(_ other: CodeSet) -> CodeSet { CodeSet(bits: bits & ~other.bits) }

  func intersection(_ other: CodeSet) -> CodeSet { CodeSet(bits: bits & other.bits) }

  func union(_ other: CodeSet) -> CodeSet { CodeSet(bits: bits | other.bits) }

  func intersects(_ other: CodeSet) -> Bool { bits & other.bits != 0 }

  /// The codes in the order of their names. Nothing is allocated for an empty set.
  var codes: [FindingCode] {
    var codes: [FindingCode] = []
    var rest = bits
    while rest != 0 {
      if let code = FindingCode(rawValue: .init(rest.trailingZeroBitCount)) { codes.append(code) }
      rest &= rest - 1
    }
    return codes
  }

  /// The checks of `verification.md`: a record that failed one of them has failed.
  static let checks = CodeSet(
    FindingCode.allCases.filter { ["assertion", "attestation"].contains($0.entry.family) }
      + [.recordClientDataHashMismatch])

  /// The checks of values about the app's build (`verification.R15`, `verification.R37`).
  static let policies = CodeSet([
    .attestationCategoryMismatch, .attestationCodeMismatch, .assertionCategoryMismatch,
    .assertionCodeMismatch,
  ])

  /// The findings that are settled by clientDataHash.
  static let settledByHash = CodeSet([
    .recordDuplicate, .replayRetry, .replayAssertion, .replayAttestation, .replayCrossKey,
    .replayClientDataHash, .challengeNotIssued, .challengeExpired, .decisionRejectedValid,
  ])

  /// The findings about a record that are found before those of its clientDataHash, and can be more severe for a copy.
  static let ofRecord = CodeSet(
    FindingCode.allCases.filter { $0.followsDecision || $0 == .recordClientDataLossy }
  ).subtracting(settledByHash).subtracting(counters).subtracting(
    CodeSet([.keyReattested, .keyUnknown, .keyUntrusted]))

  /// The findings about an event that a judge of its key has, and no other event of its hash changes.
  static let settledByKey = CodeSet([
    .assertionSignatureInvalid, .assertionAppIDMismatch, .keyUsedBeforeAttestation,
    .keySubjectChanged,
  ])

  static let reattested = CodeSet([.keyReattested])

  /// The findings about counters.
  static let counters = CodeSet([
    .counterRegression, .counterReordered, .counterRepeated, .counterGap, .counterServerMismatch,
  ])

  /// The checks that an attestation may fail and still be examined for replays (`detection.R31`).
  static let forgivenInReplay = CodeSet([
    .attestationCertificateTime, .attestationTimeDisagrees, .attestationReceiptInvalid,
    .attestationCategoryMismatch, .attestationCodeMismatch, .recordClientDataHashMismatch,
  ])
}
