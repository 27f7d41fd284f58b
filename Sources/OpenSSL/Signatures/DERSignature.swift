/// An ECDSA signature as DER carries it (ECDSA-Sig-Value, RFC 3279, 2.2.3).
package enum DERSignature {
  /// Parses r and s of a signature over P-256: strict DER, both between 0 and the order, or nil.
  package static func parse(_ bytes: Span<UInt8>) -> (r: P256Scalar, s: P256Scalar)? {
    guard let (first, second) = integers(bytes, size: 32),
      let r = P256Scalar(bigEndian: bytes.extracting(first)), r > .zero, r < .order,
      let s = P256Scalar(bigEndian: bytes.extracting(second)), s > .zero, s < .order
    else { return nil }
    return (r, s)
  }

  /// Writes r ‖ s of a signature, `size` bytes each, big-endian, into at least 2 `size` zeros.
  /// Returns false, with nothing written, if it is not strict DER, or a number is negative or
  /// longer.
  package static func write(
    numbersOf bytes: Span<UInt8>, size: Int, to output: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard let (r, s) = integers(bytes, size: size) else { return false }
    precondition(output.count >= 2 * size, "no room for two numbers")
    unsafe bytes.withUnsafeBytes { bytes in
      for (range, end) in [(r, size), (s, 2 * size)] {
        unsafe UnsafeMutableRawBufferPointer(rebasing: output[(end - range.count)..<end])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[range]))
      }
    }
    return true
  }

  /// Returns where the digits of r and s lie, without a leading 0.
  private static func integers(
    _ bytes: Span<UInt8>, size: Int
  ) -> (r: Range<Int>, s: Range<Int>)? {
    // For up to 61 bytes of a number every length takes one byte.
    guard bytes.count >= 8, bytes[0] == 0x30, bytes[1] < 0x80, Int(bytes[1]) == bytes.count - 2
    else { return nil }
    var offset = 2
    guard let r = integer(bytes, &offset, size: size), let s = integer(bytes, &offset, size: size),
      offset == bytes.count
    else { return nil }
    return (r, s)
  }

  private static func integer(
    _ bytes: Span<UInt8>, _ offset: inout Int, size: Int
  ) -> Range<Int>? {
    guard offset + 3 <= bytes.count, bytes[offset] == 0x02 else { return nil }
    let length = Int(bytes[offset + 1])
    var start = offset + 2
    let end = start + length
    guard length >= 1, length <= size + 1, end <= bytes.count, bytes[start] < 0x80 else {
      return nil
    }
    if bytes[start] == 0, length > 1 {
      start += 1
      guard bytes[start] >= 0x80 else { return nil }
    }
    offset = end
    return end - start <= size ? start..<end : nil
  }
}
