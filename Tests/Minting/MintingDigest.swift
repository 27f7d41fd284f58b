internal import COpenSSL

/// Digests for minting, as arrays.
package enum MintingDigest {
  /// Returns the SHA-256 of `bytes`, 32 bytes (FIPS 180-4).
  package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 32) { output, count in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe attest_sha256(bytes.baseAddress, bytes.count, nil, 0, output.baseAddress)
      }
      count = 32
    }
  }

  /// Returns the SHA-384 of `bytes`, 48 bytes (FIPS 180-4).
  package static func sha384(_ bytes: [UInt8]) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 48) { output, count in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        _ = unsafe SHA384(bytes.baseAddress, bytes.count, output.baseAddress)
      }
      count = 48
    }
  }

  /// Returns the SHA-512 of `bytes`, 64 bytes (FIPS 180-4).
  package static func sha512(_ bytes: [UInt8]) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 64) { output, count in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        _ = unsafe SHA512(bytes.baseAddress, bytes.count, output.baseAddress)
      }
      count = 64
    }
  }
}
