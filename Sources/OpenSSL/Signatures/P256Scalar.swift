/// Thirty-two bytes read as a big-endian number: r or s of an ECDSA signature over P-256.
package struct P256Scalar: Hashable, Sendable, Comparable {
  /// The most significant word first.
  private var words: (UInt64, UInt64, UInt64, UInt64)

  /// The order n of P-256 (FIPS 186-4, D.1.2.3).
  package static let order = P256Scalar(
    words: (
      0xFFFF_FFFF_0000_0000, 0xFFFF_FFFF_FFFF_FFFF, 0xBCE6_FAAD_A717_9E84, 0xF3B9_CAC2_FC63_2551
    ))

  /// 0.
  package static let zero = P256Scalar(words: (0, 0, 0, 0))

  private init(words: (UInt64, UInt64, UInt64, UInt64)) {
    self.words = words
  }

  /// Makes the number of at most 32 big-endian bytes, or gives nil for more.
  package init?(bigEndian bytes: Span<UInt8>) {
    guard bytes.count <= 32 else { return nil }
    if bytes.count == 32 {
      words = unsafe bytes.withUnsafeBytes { bytes in
        func word(_ index: Int) -> UInt64 {
          unsafe bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self).bigEndian
        }
        return (word(0), word(1), word(2), word(3))
      }
      return
    }
    var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    let lead = 32 - bytes.count
    for index in bytes.indices {
      let byte = UInt64(bytes[index])
      switch (lead + index) / 8 {
      case 0: words.0 = words.0 << 8 | byte
      case 1: words.1 = words.1 << 8 | byte
      case 2: words.2 = words.2 << 8 | byte
      default: words.3 = words.3 << 8 | byte
      }
    }
    self.words = words
  }

  /// The smaller of this and n less this, for a number below n: ECDSA holds for s and for n - s
  /// alike, so that both tell of one signature.
  package var lowerOfPair: P256Scalar {
    let other = Self.order.minus(self)
    return other < self ? other : self
  }

  private func minus(_ other: P256Scalar) -> P256Scalar {
    let (d3, b3) = words.3.subtractingReportingOverflow(other.words.3)
    let (d2, b2) = Self.subtract(words.2, other.words.2, borrow: b3)
    let (d1, b1) = Self.subtract(words.1, other.words.1, borrow: b2)
    let (d0, _) = Self.subtract(words.0, other.words.0, borrow: b1)
    return P256Scalar(words: (d0, d1, d2, d3))
  }

  private static func subtract(_ left: UInt64, _ right: UInt64, borrow: Bool) -> (UInt64, Bool) {
    let (first, under) = left.subtractingReportingOverflow(right)
    let (second, underAgain) = first.subtractingReportingOverflow(borrow ? 1 : 0)
    return (second, under || underAgain)
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
    unsafe pointer.storeBytes(of: words.0.bigEndian, as: UInt64.self)
    unsafe pointer.storeBytes(of: words.1.bigEndian, toByteOffset: 8, as: UInt64.self)
    unsafe pointer.storeBytes(of: words.2.bigEndian, toByteOffset: 16, as: UInt64.self)
    unsafe pointer.storeBytes(of: words.3.bigEndian, toByteOffset: 24, as: UInt64.self)
  }

  package static func == (left: P256Scalar, right: P256Scalar) -> Bool {
    left.words == right.words
  }

  package static func < (left: P256Scalar, right: P256Scalar) -> Bool {
    left.words < right.words
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
    hasher.combine(words.3)
  }
}
