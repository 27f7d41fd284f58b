internal import OpenSSL

/// A receipt, read and perhaps verified, before its fields are looked at.
enum ReceiptReading {
  /// It is no CMS SignedData; what it is, without a full stop.
  case unreadable(String)
  /// What it holds, and why it does not verify, without a full stop, or nil if it does, or where
  /// that was not looked at.
  case content([UInt8], unverified: String?)

  /// Reads a receipt by OpenSSL.
  ///
  /// - Parameters:
  ///   - anchors: Nil: signatures are not looked at.
  ///   - time: Milliseconds since 1970.
  ///   - signer: Who signed it, where it verifies and that is one alone.
  init(
    _ receipt: [UInt8], anchors: TrustStore?, time: Int64, signer: inout VerifiedSigner?
  ) {
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
