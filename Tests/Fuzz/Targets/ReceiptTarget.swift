import OpenSSL

@testable import AppAttest

/// A receipt: what the walk reads, OpenSSL reads alike; and no content of it is taken for fields that it
/// has not.
struct ReceiptTarget: FuzzTarget {
  static let name = "receipt"
  static let limit = 8192

  static func seeds() throws -> [[UInt8]] {
    try FuzzSeeds.tokens("attestation").flatMap { token in
      let receipt = try AttestationStatement(token.span).receipt?.copy(from: token.span) ?? []
      let content = try CMSReceipt(receipt.span).content
      return [receipt, content]
    }
  }

  func run(_ bytes: [UInt8]) {
    let content = content(bytes)
    if let ordinary = OrdinaryReceipt(bytes.span), let content {
      require(ordinary.content == content, "another content than OpenSSL's")
      require(ordinary.digests.last == .sha256(content.span), "another digest")
    }
    let receipt = try? Receipt.parse(bytes.span)
    let fields = content.flatMap { ReceiptFields($0) }
    require((receipt == nil) == (fields == nil), "parsed only in part")
    if let fields = ReceiptFields(bytes) {
      _ = (fields.text(2), fields.text(6), fields.time(12), fields.time(19), fields.time(21))
    }
    if let receipt {
      _ = (receipt.creationTime, receipt.expiry, receipt.environment, receipt.riskMetric)
    }
  }

  /// Returns the content as OpenSSL reads it, or nil for bytes that are no receipt.
  private func content(_ bytes: [UInt8]) -> [UInt8]? {
    do throws(OpenSSLError) { return try CMSReceipt(bytes.span).content } catch { return nil }
  }
}
