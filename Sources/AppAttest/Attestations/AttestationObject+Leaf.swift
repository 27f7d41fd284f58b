package import OpenSSL

/// Facts of the leaf certificate, for callers who search for related records. Nothing is judged.
extension AttestationObject {
  /// The certificates of `x5c`, the leaf first.
  package var x5c: [Certificate] { certificates }

  /// The leaf's X9.62 uncompressed point, 65 bytes, or nil if its key is not on P-256.
  public var leafPublicKey: [UInt8]? { certificates.first?.p256Point }

  /// The nonce of extension 1.2.840.113635.100.8.2, or nil if there is none.
  public var leafNonce: Digest256? { certificates.first.flatMap(LeafExtensions.nonce) }

  /// The App ID in clear, [1204] of extension 1.2.840.113635.100.8.5, or nil if it cannot be read.
  public var leafAppID: String? { certificates.first.flatMap(LeafExtensions.appID) }

  /// The system that made the key.
  public var leafOrigin: KeyOrigin? { certificates.first.map(KeyOrigin.init) }
}
