/// An ECDSA signature over P-256 as DER carries it (ECDSA-Sig-Value, RFC 3279, 2.2.3).
package enum DERSignature {
  /// r and s of a signature that OpenSSL would look at: strict DER, nothing left over, both between
  /// 0 and the order of the curve. Nil for any other. Allocates nothing.
  package static func parse(_ bytes: Span<UInt8>) -> (r: P256Scalar, s: P256Scalar)? {
    // Two integers of at most 33 bytes: every length takes one byte.
    guard bytes.count >= 8, bytes.count <= 72, bytes[0] == 0x30,
      Int(bytes[1]) == bytes.count - 2
    else { return nil }
    var offset = 2
    guard let r = integer(bytes, &offset), let s = integer(bytes, &offset), offset == bytes.count
    else { return nil }
    return (r, s)
  }

  private static func integer(_ bytes: Span<UInt8>, _ offset: inout Int) -> P256Scalar? {
    guard offset + 3 <= bytes.count, bytes[offset] == 0x02 else { return nil }
    let length = Int(bytes[offset + 1])
    var start = offset + 2
    let end = start + length
    guard length >= 1, length <= 33, end <= bytes.count, bytes[start] < 0x80 else { return nil }
    if bytes[start] == 0, length > 1 {
      start += 1
      guard bytes[start] >= 0x80 else { return nil }
    }
    offset = end
    guard let number = P256Scalar(bigEndian: bytes.extracting(start..<end)),
      number > .zero, number < .order
    else { return nil }
    return number
  }
}
