internal import COpenSSL

/// SHA-256 (FIPS 180-4) of bytes in memory, without allocation.
package enum SHA256 {
  /// Writes the 32 bytes of SHA-256(`first` ‖ `second`) to `output`.
  @inline(__always)
  package static func hash(
    _ first: Span<UInt8>, _ second: Span<UInt8>? = nil, into output: UnsafeMutablePointer<UInt8>
  ) {
    unsafe first.withUnsafeBufferPointer { first in
      guard let second else {
        unsafe attest_sha256(first.baseAddress, first.count, nil, 0, output)
        return
      }
      unsafe second.withUnsafeBufferPointer { second in
        unsafe attest_sha256(
          first.baseAddress, first.count, second.baseAddress, second.count, output)
      }
    }
  }
}

/// SHA-256 (FIPS 180-4) of bytes that come in pieces; a handle for one thread at a time.
@safe package struct SHA256Stream: ~Copyable {
  private let context: UnsafeMutablePointer<SHA256_CTX>

  package init() {
    unsafe context = .allocate(capacity: 1)
    unsafe context.initialize(to: SHA256_CTX())
    unsafe SHA256_Init(context)
  }

  deinit {
    unsafe context.deallocate()
  }

  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    unsafe SHA256_Update(context, bytes.baseAddress, bytes.count)
  }

  /// Returns the digest of all bytes taken, 32 bytes; more may follow.
  package func digest() -> [UInt8] {
    var copy = unsafe context.pointee
    return unsafe [UInt8](unsafeUninitializedCapacity: 32) { output, count in
      _ = unsafe SHA256_Final(output.baseAddress, &copy)
      count = 32
    }
  }
}
