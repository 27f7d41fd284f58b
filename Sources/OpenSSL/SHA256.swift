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
