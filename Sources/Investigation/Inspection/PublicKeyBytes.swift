internal import OpenSSL

/// Public keys on P-256 in the forms in which people have them.
package enum PublicKeyBytes {
  /// The bytes in front of the point in DER SubjectPublicKeyInfo (RFC 5480).
  private static let prefix: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A,
    0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
  ]

  /// Returns the X9.62 uncompressed point from a point or from DER SubjectPublicKeyInfo.
  package static func point(_ bytes: [UInt8]) -> [UInt8]? {
    if bytes.count == 65 { return P256PublicKey.isPoint(bytes.span) ? bytes : nil }
    return P256PublicKey.point(spki: bytes)
  }

  /// Returns the DER SubjectPublicKeyInfo of an X9.62 uncompressed point.
  package static func spki(_ point: [UInt8]) -> [UInt8] { prefix + point }
}
