/// Thirty-two bytes read as a big-endian number: r or s of an ECDSA signature over P-256.
package struct P256Scalar: Hashable, Sendable, Comparable {
  private var high: UInt128
  private var low: UInt128

  /// The order n of P-256 (FIPS 186-4, D.1.2.3).
  package static let order = P256Scalar(
    high: 0xFFFF_FFFF_0000_0000_FFFF_FFFF_FFFF_FFFF, low: 0xBCE6_FAAD_A717_9E84_F3B9_CAC2_FC63_2551)

  package static let zero = P256Scalar(high: 0, low: 0)

  private init(high: UInt128, low: UInt128) {
    self.high = high
    self.low = low
  }

  /// Makes the number of at most 32 big-endian bytes, or gives nil for more.
  package init?(bigEndian bytes: Span<UInt8>) {
    guard bytes.count <= 32 else { return nil }
    if bytes.count == 32 {
      (high, low) = unsafe bytes.withUnsafeBytes { bytes in
        unsafe (
          UInt128(bigEndian: bytes.loadUnaligned(as: UInt128.self)),
          UInt128(bigEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt128.self))
        )
      }
      return
    }
    (high, low) = (0, 0)
    for index in bytes.indices {
      high = high << 8 | low >> 120
      low = low << 8 | UInt128(bytes[index])
    }
  }

  /// The smaller of this and n less this, for a number below n: both tell of one signature.
  package var lowerOfPair: P256Scalar {
    let (low, borrow) = Self.order.low.subtractingReportingOverflow(low)
    let other = P256Scalar(high: Self.order.high &- high &- (borrow ? 1 : 0), low: low)
    return other < self ? other : self
  }

  /// The 32 bytes, the most significant first.
  package var bytes: [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 32) { buffer, count in
      if let start = buffer.baseAddress {
        unsafe copy(to: UnsafeMutableRawPointer(start))
        count = 32
      }
    }
  }

  /// Writes the 32 bytes, the most significant first, at `pointer`.
  package func copy(to pointer: UnsafeMutableRawPointer) {
    unsafe pointer.storeBytes(of: high.bigEndian, as: UInt128.self)
    unsafe pointer.storeBytes(of: low.bigEndian, toByteOffset: 16, as: UInt128.self)
  }

  package static func < (left: P256Scalar, right: P256Scalar) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}
