internal import OpenSSL

/// A receipt, read and perhaps verified, before its fields are examined.
enum ReceiptReading {
  /// The receipt is missing or no CMS SignedData. The text describes it, without a full stop.
  case unreadable(String)
  /// The content, and the reason why it does not verify, without a full stop. The reason is nil if
  /// it verifies, or if that was not examined.
  case content([UInt8], unverified: String?)

  /// The reading of an attestation without a receipt.
  static let missing = ReceiptReading.unreadable("missing")

  /// Reads a receipt by OpenSSL.
  ///
  /// - Parameters:
  ///   - anchors: The anchors. If nil, signatures are not examined.
  ///   - time: The time to judge certificates at, in milliseconds since 1970.
  ///   - signer: Set to the signer if the receipt verifies and has a single signer.
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
