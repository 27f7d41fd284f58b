internal import Basics
internal import OpenSSL

/// The receipt inside an attestation, after its checks.
struct ReceiptJudgement {
  /// One sentence that gives the failure, or nil if the receipt is valid.
  let failure: String?
  /// Whether signatures and chains were checked.
  private let isVerified: Bool
  /// The fields, valid or not, or nil if they cannot be read.
  let facts: ReceiptFacts?

  /// Judges a receipt that was read.
  ///
  /// - Parameter isVerified: True if the reading examined signatures.
  init(
    _ attestation: AttestationUnderTest, _ reading: ReceiptReading, isVerified: Bool,
    clientDataHash: Span<UInt8>, apps: ConfiguredApps
  ) {
    self.isVerified = isVerified
    switch reading {
    case .unreadable(let reason):
      failure = "The receipt is \(reason)."
      facts = nil
    case .content(let content, let unverified):
      let fields = ReceiptFields(content)
      facts = fields.map {
        ReceiptFacts(
          type: $0.text(6) ?? "", creationTime: $0.time(12), riskMetric: $0.text(17) ?? "")
      }
      if let unverified {
        failure = "The receipt does not verify: \(unverified)."
      } else if let fields {
        failure = Self.fieldFailure(
          fields, attestation, clientDataHash: clientDataHash, apps: apps)
      } else {
        failure = "The receipt's content is not a set of fields."
      }
    }
  }

  /// The time that Apple signed into the receipt, or nil unless it was verified and is valid.
  var signedTime: Int64? { failure == nil && isVerified ? facts?.creationTime : nil }

  private static func fieldFailure(
    _ fields: ReceiptFields, _ attestation: AttestationUnderTest, clientDataHash: Span<UInt8>,
    apps: ConfiguredApps
  ) -> String? {
    for field in ReceiptField.allCases {
      // The hash of client data that the log did not keep is not known.
      if field == .clientHash, attestation.isNonceUnchecked { continue }
      if let failure = field.failure(
        in: fields, of: attestation, clientDataHash: clientDataHash, apps: apps)
      {
        return failure
      }
    }
    return nil
  }
}

/// A field of a receipt that is compared with its attestation, in the order of the checks.
enum ReceiptField: CaseIterable {
  case appID, certificate, clientHash, type, environment, creationTime

  /// Returns the reason why the field does not match, as one sentence, or nil if it matches or
  /// cannot be checked.
  func failure(
    in fields: ReceiptFields, of attestation: AttestationUnderTest, clientDataHash: Span<UInt8>,
    apps: ConfiguredApps
  ) -> String? {
    func says(_ type: UInt8) -> String { DetailText.quoted(fields[type]) }
    switch self {
    case .appID:
      guard let index = attestation.appIndex, !fields.has(2, apps.apps[index].id.utf8.span) else {
        return nil
      }
      return "The receipt's App ID (field 2) is \(says(2)), not the record's, "
        + "\(apps.apps[index].id)."
    case .certificate:
      guard !fields.has(3, attestation.leaf.der.span) else { return nil }
      let stated = fields[3].map { "that of SHA-256 \(DetailText.digest($0))" } ?? "none"
      return "The receipt's certificate (field 3) is \(stated), not the leaf certificate, SHA-256 "
        + "\(DetailText.digest(attestation.leaf.der))."
    case .clientHash:
      if fields.has(4, clientDataHash) { return nil }
      return "The receipt's client hash (field 4) is \(DetailText.hex(fields[4])), not the "
        + "clientDataHash, \(DetailText.hex(clientDataHash.copied()))."
    case .type:
      guard fields.text(6) != "ATTEST" else { return nil }
      return "The receipt's type (field 6) is \(says(6)), not ATTEST."
    case .environment:
      guard let environment = attestation.content.credential.environment, fields.has(7),
        fields.text(7).flatMap({ AttestEnvironment(receiptName: $0) }) != environment
      else { return nil }
      return "The receipt's environment (field 7) is \(says(7)), that of the aaguid "
        + "\(environment.name)."
    case .creationTime:
      guard fields.time(12) == nil else { return nil }
      return "The receipt's creation time (field 12), \(says(12)), cannot be read."
    }
  }
}
