internal import OpenSSL

/// What the checks of an attestation look at in its leaf certificate, beside the chain.
struct LeafFacts {
  /// The certificate.
  let der: [UInt8]
  /// Its X9.62 uncompressed point; nil where its key is not on P-256.
  let publicKey: [UInt8]?
  /// Nil where it holds none.
  let nonce: Digest256?
  /// Empty where it cannot be read.
  let osVersion: String

  init(_ leaf: Certificate) {
    der = leaf.der
    publicKey = leaf.p256Point
    nonce = LeafExtensions.nonce(leaf)
    osVersion = LeafExtensions.osVersion(leaf)
  }

  /// Nil where the point is not on the curve.
  init?(_ leaf: OrdinaryLeaf, of bytes: [UInt8]) {
    let span = bytes.span
    let point = span.extracting(leaf.point)
    guard P256PublicKey.isPoint(point) else { return nil }
    der = bytes
    publicKey = point.copied()
    nonce = leaf.nonce
    osVersion =
      leaf.device.map { LeafExtensions.osVersion(inside: span.extracting($0)) } ?? ""
  }
}
