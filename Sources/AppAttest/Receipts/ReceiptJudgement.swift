internal import Basics
internal import OpenSSL

/// The receipt inside an attestation, after its checks.
struct ReceiptJudgement {
  /// One sentence for each failure, none if the receipt is valid.
  let failures: [String]
  /// Whether signatures and chains were checked.
  private let isVerified: Bool
  /// The fields, valid or not, or nil if they cannot be read.
  private(set) var facts: ReceiptFacts?

  /// Judges a receipt whose signatures are verified or not. `knowsHash` is about the record's.
  init(
    _ attestation: AttestationUnderTest, _ reading: ReceiptReading, isVerified: Bool,
    apps: ConfiguredApps, knowsHash: Bool = true
  ) {
    self.isVerified = isVerified
    guard case .content(let content, let unverified) = reading else {
      if case .unreadable(let reason) = reading {
        failures = ["The receipt is \(reason)."]
      } else {
        failures = []
      }
      return
    }
    let front = unverified.map { ["The receipt does not verify: \($0)."] } ?? []
    guard let fields = ReceiptFields(content) else {
      failures = front + ["The receipt's content is not a set of fields."]
      return
    }
    facts = ReceiptFacts(
      type: fields.text(6) ?? "", creationTime: fields.time(12), riskMetric: fields.text(17) ?? "")
    // The hash of client data that the log did not keep is not known.
    let hasHash = knowsHash && !attestation.isNonceUnchecked
    failures =
      front
      + ReceiptField.allCases.filter { $0 != .clientHash || hasHash }.compactMap {
        $0.failure(in: fields, of: attestation, apps: apps)
      }
  }

  /// The time that Apple signed into the receipt, or nil unless it was verified and is valid.
  var signedTime: Int64? { failures.isEmpty && isVerified ? facts?.creationTime : nil }
}

/// A field of a receipt that is compared with its attestation, in the order of the checks.
enum ReceiptField: CaseIterable {
  case appID, certificate, clientHash, type, environment, creationTime

  /// Returns why the field does not match, as one sentence, or nil.
  func failure(
    in fields: ReceiptFields, of attestation: AttestationUnderTest, apps: ConfiguredApps
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
      let hash = attestation.record.clientDataHash
      if fields.has(4, hash.span) { return nil }
      return "The receipt's client hash (field 4) is \(DetailText.hex(fields[4])), not the "
        + "clientDataHash, \(DetailText.hex(hash))."
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

/// A receipt, read and perhaps verified, before its fields are examined.
enum ReceiptReading {
  /// The receipt is missing or no CMS SignedData. The text describes it, without a full stop.
  case unreadable(String)
  /// The content, and why it does not verify, without a full stop, or nil if it does or need not.
  case content([UInt8], unverified: String?)

  /// The reading of an attestation without a receipt.
  static let missing = ReceiptReading.unreadable("missing")

  /// Reads a receipt by OpenSSL at milliseconds since 1970, unverified without `anchors`.
  init(
    _ receipt: [UInt8], anchors: TrustStore?, time: Int64, signer: inout VerifiedSigner?
  ) {
    guard !receipt.isEmpty else {
      self = .missing
      return
    }
    do throws(OpenSSLError) {
      let cms = try CMSReceipt(receipt.span)
      let unverified = anchors.flatMap {
        cms.failure(
          anchors: $0, at: wholeSeconds(time), marker: Receipt.signerMarker, signer: &signer)
      }
      self = .content(cms.content, unverified: unverified)
    } catch {
      self = .unreadable(error.context)
    }
  }
}
