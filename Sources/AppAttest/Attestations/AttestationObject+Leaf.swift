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

  /// Whether the leaf is of macOS (`facts.R37`).
  public var leafIsMacOS: Bool { certificates.first.map(LeafFacts.init)?.isMacOS ?? false }

  /// The octets of extension 1.2.840.113635.100.8.6, which say how the key is protected, or nil if there
  /// are none.
  public var leafAccessControl: [UInt8]? {
    let value = certificates.first?.extensionValue(LeafExtensions.accessControlIdentifier)
    return value.flatMap { LeafExtensions.accessControl(inside: $0.span) }
  }

  /// Whether the leaf has Apple's access control for System Integrity Protection and Full Security.
  public var hasFullSecurity: Bool { leafAccessControl == LeafExtensions.fullSecurity }
}
