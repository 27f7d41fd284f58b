/// A key that signed data that OpenSSL verified, and that signs much more of the same kind.
package struct SigningKey: Hashable, Sendable {
  package enum Curve: Sendable {
    case p256, p384

    /// The number of bytes of a coordinate, and of each number of a signature.
    package var numberBytes: Int { self == .p256 ? 32 : 48 }
  }

  package let curve: Curve
  /// The public key, x ‖ y, the most significant byte first.
  package let coordinates: [UInt8]

  /// Makes a key, or nil if the bytes are no X9.62 uncompressed point of that length.
  init?(_ curve: Curve, point: [UInt8]) {
    guard point.count == 1 + 2 * curve.numberBytes, point[0] == 4 else { return nil }
    self.curve = curve
    coordinates = Array(point.dropFirst())
  }
}

/// A signature that is still to be verified.
package struct PendingSignature: Sendable {
  package let key: SigningKey
  /// r ‖ s ‖ digest (SHA-256), each as long as a coordinate, big-endian; again for each further digest.
  package let numbers: [UInt8]
}
