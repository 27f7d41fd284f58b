internal import AppAttest
internal import OpenSSL

/// The identity of an assertion among those of one key and clientDataHash (`detection.md`, "Replay"):
/// equal authenticatorData, r, and s up to its sign.
enum SignatureIdentity {
  /// Returns SHA-256(nonce ‖ r ‖ the lower of s and n − s).
  static func digest(nonce: Digest256, r: P256Scalar, s: P256Scalar) -> Digest256 {
    unsafe withUnsafeTemporaryAllocation(byteCount: 96, alignment: 8) { buffer in
      let base = unsafe buffer.baseAddress.unsafelyUnwrapped
      unsafe nonce.copy(to: base)
      unsafe r.copy(to: base + 32)
      unsafe s.lowerOfPair.copy(to: base + 64)
      return unsafe Digest256.sha256(Span(_unsafeBytes: UnsafeRawBufferPointer(buffer)))
    }
  }

  /// Returns the identity of a signature that strict DER refuses, so that no replay hides behind
  /// another encoding: r and s as BER allows (X.690, 8.1), or SHA-256(nonce ‖ signature).
  static func digest(nonce: Digest256, loose signature: Span<UInt8>) -> Digest256 {
    guard let (r, s) = LooseSignature.parse(signature) else {
      return nonce.withSpan { .sha256($0, signature) }
    }
    if let r = P256Scalar(bigEndian: r.span), let s = P256Scalar(bigEndian: s.span),
      r != .zero, s != .zero
    {
      return digest(nonce: nonce, r: r, s: s)
    }
    let pair = [UInt8(truncatingIfNeeded: r.count)] + r + s
    return nonce.withSpan { .sha256($0, pair.span) }
  }
}

/// A pair of integers in any BER encoding.
private enum LooseSignature {
  /// Returns r and s, big-endian, of 32 bytes each, or nil if the bytes are not two integers.
  static func parse(_ bytes: Span<UInt8>) -> (r: [UInt8], s: [UInt8])? {
    guard let sequence = sequence(bytes),
      let first = element(bytes, tag: 0x02, from: sequence.lowerBound),
      let second = element(bytes, tag: 0x02, from: first.upperBound),
      second.upperBound == sequence.upperBound,
      let r = integer(bytes, first), let s = integer(bytes, second)
    else { return nil }
    return (r, s)
  }

  /// Returns the content of the sequence that the bytes are, its length definite or not.
  private static func sequence(_ bytes: Span<UInt8>) -> Range<Int>? {
    let count = bytes.count
    if count >= 4, bytes[0] == 0x30, bytes[1] == 0x80 {
      return bytes[count - 2] == 0 && bytes[count - 1] == 0 ? 2..<(count - 2) : nil
    }
    guard let range = element(bytes, tag: 0x30, from: 0), range.upperBound == count else {
      return nil
    }
    return range
  }

  /// Returns the content of the element at `start`.
  private static func element(_ bytes: Span<UInt8>, tag: UInt8, from start: Int) -> Range<Int>? {
    guard start + 2 <= bytes.count, bytes[start] == tag else { return nil }
    var at = start + 2
    var length = Int(bytes[start + 1])
    if length >= 0x80 {
      let count = length - 0x80
      guard count > 0, at + count <= bytes.count else { return nil }
      length = 0
      for index in at..<(at + count) {
        guard length <= bytes.count else { return nil }
        length = length << 8 | Int(bytes[index])
      }
      at += count
    }
    guard length <= bytes.count - at else { return nil }
    return at..<(at + length)
  }

  private static func integer(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [UInt8]? {
    guard !range.isEmpty, bytes[range.lowerBound] < 0x80 else { return nil }
    let digits = Array(bytes.extracting(range).copied().drop { $0 == 0 })
    return Array(repeating: 0, count: max(0, 32 - digits.count)) + digits
  }
}
