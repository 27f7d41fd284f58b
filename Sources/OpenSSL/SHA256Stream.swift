internal import COpenSSL

/// SHA-256 (FIPS 180-4) of bytes that come piece by piece, without allocation.
package struct SHA256Stream: ~Copyable {
  private var context = SHA256_CTX()

  /// The hash of nothing yet.
  package init() {
    unsafe _ = SHA256_Init(&context)
  }

  /// Adds the next bytes.
  package mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress, bytes.count > 0 else { return }
      unsafe _ = SHA256_Update(&context, base, bytes.count)
    }
  }

  /// The 32 bytes of the hash of all that was added; nothing can be added afterwards.
  package consuming func finish() -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 32) { digest, count in
      unsafe _ = SHA256_Final(digest.baseAddress, &context)
      count = 32
    }
  }
}
