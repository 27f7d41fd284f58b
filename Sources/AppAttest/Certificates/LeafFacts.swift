internal import OpenSSL

/// The facts of the leaf certificate that the checks of an attestation look at, beside the chain.
struct LeafFacts {
  /// The certificate, in DER.
  let der: [UInt8]
  /// Its X9.62 uncompressed point, or nil if its key is not on P-256.
  let publicKey: [UInt8]?
  /// The nonce, or nil if the certificate holds none.
  let nonce: Digest256?
  /// The OS version, or empty if it cannot be read.
  let osVersion: String

  init(_ leaf: Certificate) {
    der = leaf.der
    publicKey = leaf.p256Point
    nonce = LeafExtensions.nonce(leaf)
    osVersion = LeafExtensions.osVersion(leaf)
  }

  /// Makes the facts of a leaf whose point is still to be checked to be on P-256.
  init(_ leaf: OrdinaryLeaf, of bytes: [UInt8]) {
    let span = bytes.span
    der = bytes
    publicKey = span.extracting(leaf.point).copied()
    nonce = leaf.nonce
    osVersion =
      leaf.device.map { LeafExtensions.osVersion(inside: span.extracting($0)) } ?? ""
  }
}
