internal import CSignatureBatch

/// A curve whose signatures are verified in batches (NIST SP 800-186, 3.2.1).
package enum SignatureCurve: UInt32, Sendable, CaseIterable {
  case p256 = 256
  case p384 = 384

  /// Bytes of a coordinate, and of each number of a signature.
  package var numberBytes: Int { Int(rawValue / 8) }

  /// Bytes of a key: x and y, big-endian (SEC 1, 2.3.3, without the 04 in front).
  package var keyBytes: Int { 2 * numberBytes }

  /// Bytes of a signature: r, s and the leftmost bits of the digest, each a number.
  package var signatureBytes: Int { 3 * numberBytes }

  /// Returns whether bytes are an uncompressed point of the curve (SEC 1, 2.3.4 and 3.2.2.1).
  package func isPoint(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count == 1 + keyBytes, bytes[0] == 4 else { return false }
    return unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe sb_is_point(code, bytes.baseAddress.unsafelyUnwrapped + 1)
    }
  }

  var code: sb_curve { sb_curve(rawValue) }
}

/// The arithmetic that verifies a batch. All give the same verdicts.
package enum BatchArithmetic: Sendable, CaseIterable {
  /// Words of 64 bits; on any processor.
  case portable
  /// Eight lanes of AVX-512 IFMA; on x86-64 processors that have it.
  case ifma
  /// The eight lanes in plain C: slow, for tests of the eight-lane code on any processor.
  case emulated

  /// The fastest arithmetic of this processor.
  package static let best: BatchArithmetic = BatchArithmetic.ifma.isSupported ? .ifma : .portable

  /// Whether this processor, as the operating system lets it be used, can run it.
  package var isSupported: Bool {
    sb_is_supported(code)
  }

  var code: sb_arithmetic {
    switch self {
    case .portable: SB_PORTABLE
    case .ifma: SB_IFMA
    case .emulated: SB_EMULATED
    }
  }
}

/// The method by which the multiples of a key are made.
package enum KeyMethod: Sendable, Hashable {
  /// The choice by the number of the key's signatures.
  case automatic
  /// No table of the key: best for two to some thirty signatures.
  case buckets
  /// A row of odd multiples of the key, and doublings for each signature: best for one.
  case doublings
  /// A table of the key for digits of 3 to 9 bits.
  case table(width: Int)

  /// Every method but the automatic choice.
  package static let all: [KeyMethod] =
    [.buckets, .doublings]
    + (Int(SB_METHOD_NARROWEST.rawValue)...Int(SB_METHOD_WIDEST.rawValue)).map {
      .table(width: $0)
    }

  /// Returns what the automatic choice is for a key with so many signatures.
  package static func automatic(
    _ curve: SignatureCurve, _ arithmetic: BatchArithmetic, signatures: Int
  ) -> KeyMethod {
    let method = sb_automatic_method(curve.code, arithmetic.code, signatures)
    return all.first { $0.code == method } ?? .automatic
  }

  var code: UInt32 {
    switch self {
    case .automatic: return SB_METHOD_AUTOMATIC.rawValue
    case .buckets: return SB_METHOD_BUCKETS.rawValue
    case .doublings: return SB_METHOD_DOUBLINGS.rawValue
    case .table(let width):
      let code = UInt32(width)
      precondition((SB_METHOD_NARROWEST.rawValue...SB_METHOD_WIDEST.rawValue).contains(code))
      return code
    }
  }
}
