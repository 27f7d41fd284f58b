internal import CP256Batch

/// Verifies many ECDSA signatures over P-256 (FIPS 186-5, 6.4.2) at once, many times faster than one
/// at a time. For public data only: running times and memory accesses depend on it.
///
/// One for each worker: it holds its memory from the start and allocates nothing for a call.
///
/// `@unchecked Sendable`: the memory belongs to this value alone, which cannot be copied.
@safe package struct P256BatchVerifier: ~Copyable, @unchecked Sendable {
  /// Bytes of a key: x and y, each 32 bytes, the most significant first (SEC 1, 2.3.3, without the
  /// 04 in front).
  package static let keyBytes = Int(P256_KEY_BYTES)
  /// Bytes of a signature: r, s and the digest, each 32 bytes, the most significant first.
  package static let signatureBytes = Int(P256_SIGNATURE_BYTES)

  /// Bytes this verifier holds, beside the shared tables.
  package let arenaBytes: Int

  /// Keeps the tables alive that the handle points to.
  private let tables: P256BatchTables
  private let handle: OpaquePointer

  /// A verifier with all its memory; nil where memory is out.
  ///
  /// - Parameter arenaBytes: Memory to hold, at least the kernel's `leastArenaBytes`; without it,
  ///   the kernel's `bestArenaBytes`.
  package init?(tables: P256BatchTables, arenaBytes: Int? = nil) {
    let arenaBytes = arenaBytes ?? tables.kernel.bestArenaBytes
    precondition(arenaBytes >= tables.kernel.leastArenaBytes)
    guard let handle = unsafe p256_verifier_create(tables.handle, arenaBytes) else { return nil }
    unsafe self.handle = handle
    self.tables = tables
    self.arenaBytes = arenaBytes
  }

  deinit {
    unsafe p256_verifier_destroy(handle)
  }

  /// Judges all signatures of some keys; fastest with thousands at a time, in any mixture.
  ///
  /// - Parameters:
  ///   - keys: `keyBytes` for each key. A key that is no point of the curve leaves its signatures
  ///     undecided.
  ///   - counts: How many signatures each key has; may be 0.
  ///   - signatures: `signatureBytes` for each signature, in the order of the keys. An r or s that
  ///     is 0, or n or more, is invalid.
  ///   - verdicts: The raw value of a `P256Verdict` for each signature.
  package mutating func verify(
    keys: Span<UInt8>, counts: Span<UInt32>, signatures: Span<UInt8>,
    verdicts: inout MutableSpan<UInt8>
  ) {
    verify(
      keys: keys, counts: counts, signatures: signatures, verdicts: &verdicts, method: .automatic)
  }

  /// As above, with the method given: for tests and measurements.
  package mutating func verify(
    keys: Span<UInt8>, counts: Span<UInt32>, signatures: Span<UInt8>,
    verdicts: inout MutableSpan<UInt8>, method: P256Method
  ) {
    var signatureCount = 0
    for index in counts.indices { signatureCount += Int(counts[index]) }
    precondition(keys.count == counts.count * Self.keyBytes)
    precondition(signatures.count == signatureCount * Self.signatureBytes)
    precondition(verdicts.count == signatureCount)
    unsafe keys.withUnsafeBufferPointer { keys in
      unsafe counts.withUnsafeBufferPointer { counts in
        unsafe signatures.withUnsafeBufferPointer { signatures in
          unsafe verdicts.withUnsafeMutableBufferPointer { verdicts in
            var batch = unsafe p256_batch(
              keys: keys.baseAddress, key_count: counts.count, counts: counts.baseAddress,
              signatures: signatures.baseAddress, verdicts: verdicts.baseAddress)
            unsafe p256_verify(handle, &batch, method.code)
          }
        }
      }
    }
  }
}
