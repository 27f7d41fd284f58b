internal import OpenSSL

/// A receipt on its own: the answer of Apple's server, or the receipt inside an attestation.
public struct Receipt: Sendable {
  private let bytes: [UInt8]
  private let fields: ReceiptFields

  /// Parses CMS SignedData (BER or DER) with nothing left over, and its fields, unverified.
  public static func parse(_ bytes: Span<UInt8>) throws(MalformedToken) -> Receipt {
    let cms: CMSReceipt
    do throws(OpenSSLError) {
      cms = try CMSReceipt(bytes)
    } catch {
      throw MalformedToken("The receipt is malformed: \(error.context).")
    }
    guard let fields = ReceiptFields(cms.content) else {
      throw MalformedToken("The receipt is malformed: its content is not a set of fields.")
    }
    return Receipt(bytes: bytes.copied(), fields: fields)
  }

  /// The extension that marks receipt signers: others below the root sign other things.
  static let signerMarker = "1.2.840.113635.100.12.15"

  /// Returns why a signature, chain or marker is not valid at milliseconds since 1970, or nil.
  public func verify(anchors: TrustAnchors, at time: Int64) -> String? {
    let cms: CMSReceipt
    do throws(OpenSSLError) {
      cms = try CMSReceipt(bytes.span)
    } catch {
      return "The receipt is malformed: \(error.context)."
    }
    return cms.failure(anchors: anchors.store, at: wholeSeconds(time), marker: Self.signerMarker)
      .map { "The receipt does not verify: \($0)." }
  }

  /// Field 2: the App ID.
  public var appID: String? { fields.text(2) }
  /// Field 3: the attested certificate, DER.
  public var attestedCertificate: [UInt8]? { fields[3] }
  /// Field 4: the clientDataHash, unchanged.
  public var clientDataHash: [UInt8]? { fields[4] }
  /// Field 5: the token.
  public var token: [UInt8]? { fields[5] }
  /// Field 6: `ATTEST` or `RECEIPT`.
  public var type: String? { fields.text(6) }
  /// Field 7: the environment, from `sandbox` or `production`, or nil.
  public var environment: AttestEnvironment? {
    fields.text(7).flatMap { AttestEnvironment(receiptName: $0) }
  }
  /// Field 12: the creation time, in milliseconds since 1970.
  public var creationTime: Int64? { fields.time(12) }
  /// Field 17, in `RECEIPT` only: the number of keys that were attested on the device in 30 days.
  public var riskMetric: String? { fields.text(17) }
  /// Field 19: the time from which a new receipt may be requested, in milliseconds since 1970.
  public var notBefore: Int64? { fields.time(19) }
  /// Field 21: the time until which it may be renewed, in milliseconds since 1970.
  public var expiry: Int64? { fields.time(21) }
}

extension AttestEnvironment {
  /// Makes the environment that field 7 of a receipt names.
  init?(receiptName: String) {
    switch receiptName {
    case "sandbox": self = .development
    case "production": self = .production
    default: return nil
    }
  }
}

/// Returns milliseconds since 1970 as whole seconds since 1970, rounded down.
func wholeSeconds(_ milliseconds: Int64) -> Int64 {
  let seconds = milliseconds / 1000
  return milliseconds % 1000 < 0 ? seconds - 1 : seconds
}
