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

  /// Returns whether bytes are a point of the curve in its uncompressed form: 04, x and y (SEC 1, 2.3.4 and
  /// 3.2.2.1).
  package func isPoint(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count == 1 + keyBytes, bytes[0] == 4 else { return false }
    return unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe sb_is_point(code, bytes.baseAddress.unsafelyUnwrapped + 1)
    }
  }

  var code: sb_curve {
    switch self {
    case .p256: SB_P256
    case .p384: SB_P384
    }
  }
}
