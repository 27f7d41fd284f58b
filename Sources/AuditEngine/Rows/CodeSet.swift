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

  /// The codes in the order of their names.
  var codes: [FindingCode] { FindingCode.allCases.filter(contains) }

  /// The checks of `verification.md`: a record that failed one of them has failed.
  static let checks = CodeSet(
    (FindingCatalogue.attestation + FindingCatalogue.assertion).map(\.code)
      + [.recordClientDataHashMismatch])

  /// What an attestation may have failed and still be valid.
  static let forgivenInValid = CodeSet([
    .attestationReceiptInvalid, .attestationTimeDisagrees, .attestationCategoryMismatch,
    .recordClientDataHashMismatch,
  ])

  /// What an attestation may have failed and still be looked at for replays.
  static let forgivenInReplay = CodeSet([
    .attestationCertificateTime, .attestationTimeDisagrees, .attestationReceiptInvalid,
    .attestationCategoryMismatch, .recordClientDataHashMismatch,
  ])
}
