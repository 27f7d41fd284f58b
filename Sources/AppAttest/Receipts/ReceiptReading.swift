internal import OpenSSL

/// A receipt, read and perhaps verified, before its fields are examined.
enum ReceiptReading {
  /// The receipt is missing or no CMS SignedData. The text describes it, without a full stop.
  case unreadable(String)
  /// The content, and why it does not verify, without a full stop, or nil if it does or need not.
  case content([UInt8], unverified: String?)

  /// The reading of an attestation without a receipt.
  static let missing = ReceiptReading.unreadable("missing")

  /// Reads a receipt by OpenSSL at a time in milliseconds since 1970, unsigned if no `anchors` are
  /// given, and sets a single `signer` that verifies.
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
