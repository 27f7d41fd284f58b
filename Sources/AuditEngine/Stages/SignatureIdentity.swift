internal import AppAttest
internal import OpenSSL

/// What makes two assertions of one key and clientDataHash the same one (`detection.md`, "Replay"):
/// equal authenticatorData, r, and s up to its sign.
enum SignatureIdentity {
  /// SHA-256(nonce ‖ r ‖ s); `s` is the lower of s and n − s.
  static func digest(nonce: Digest256, r: P256Scalar, s: P256Scalar) -> Digest256 {
    unsafe withUnsafeTemporaryAllocation(byteCount: 96, alignment: 8) { buffer in
      let base = unsafe buffer.baseAddress.unsafelyUnwrapped
      unsafe nonce.copy(to: base)
      unsafe r.copy(to: base + 32)
      unsafe s.copy(to: base + 64)
      return unsafe Digest256.sha256(Span(_unsafeBytes: UnsafeRawBufferPointer(buffer)))
    }
  }

  /// SHA-256(nonce ‖ signature), of a signature that has no r and s.
  static func digest(nonce: Digest256, bytes: Span<UInt8>) -> Digest256 {
    nonce.withSpan { .sha256($0, bytes) }
  }
}
