internal import CSignatureBatch

/// A curve whose signatures are verified in batches (NIST SP 800-186, 3.2.1).
package enum SignatureCurve: Sendable, CaseIterable {
  case p256
  case p384

  /// Bytes of a coordinate, and of each number of a signature.
  package var numberBytes: Int {
    switch self {
    case .p256: 32
    case .p384: 48
    }
  }

  /// Bytes of a key: x and y, the most significant byte first (SEC 1, 2.3.3, without the 04 in
  /// front).
  package var keyBytes: Int { 2 * numberBytes }

  /// Bytes of a signature: r, s and the leftmost bits of the digest, each a number.
  package var signatureBytes: Int { 3 * numberBytes }

  /// Returns whether two numbers, x and y, are a point of the curve (SEC 1, 3.2.2.1).
  package func isPoint(_ coordinates: Span<UInt8>) -> Bool {
    guard coordinates.count == keyBytes else { return false }
    return unsafe coordinates.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return false }
      return unsafe sb_is_point(code, start)
    }
  }

  var code: sb_curve {
    switch self {
    case .p256: SB_P256
    case .p384: SB_P384
    }
  }
}
