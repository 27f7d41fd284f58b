internal import CSignatureBatch

/// A verifier of many ECDSA signatures over one curve (FIPS 186-5, 6.4.2) at once, many times
/// faster than one at a time. It is for public data only: running times and memory accesses depend
/// on it.
///
/// Each worker has its own. It holds its memory from the start and allocates nothing for a call.
///
/// `@unchecked Sendable`: the memory belongs to this value alone, which cannot be copied.
@safe package struct BatchVerifier: ~Copyable, @unchecked Sendable {
  package let curve: SignatureCurve
  /// Bytes this verifier holds, beside the shared tables.
  package let arenaBytes: Int

  /// The tables that the handle points to, which are kept alive by this property.
  private let tables: BaseTables
  private let handle: OpaquePointer

  /// Makes a verifier with all its memory, or nil if memory is out.
  ///
  /// - Parameter arenaBytes: Memory to hold, at least `leastArenaBytes` of the tables; without it,
  ///   `bestArenaBytes`. Below `leastArenaBytesForKeys` some signatures of keys without
  ///   ``KeyTables`` may be left undecided.
  package init?(tables: BaseTables, arenaBytes: Int? = nil) {
    let arenaBytes = arenaBytes ?? tables.bestArenaBytes
    precondition(arenaBytes >= tables.leastArenaBytes)
    guard let handle = unsafe sb_verifier_create(tables.handle, arenaBytes) else { return nil }
    unsafe self.handle = handle
    self.tables = tables
    self.arenaBytes = arenaBytes
    curve = tables.curve
  }

  deinit {
    unsafe sb_verifier_destroy(handle)
  }

  /// Judges all signatures of some keys; fastest with thousands at a time, in any mixture.
  ///
  /// - Parameters:
  ///   - keys: The curve's `keyBytes` for each key. A key that is no point of the curve leaves its
  ///     signatures undecided.
  ///   - counts: How many signatures each key has; may be 0.
  ///   - signatures: The curve's `signatureBytes` for each signature, in the order of the keys. An r
  ///     or s that is 0, or n or more, is invalid.
  ///   - verdicts: The raw value of a `BatchVerdict` for each signature.
  ///   - method: How keys' multiples are made: for tests and measurements.
  package mutating func verify(
    keys: Span<UInt8>, counts: Span<UInt32>, signatures: Span<UInt8>,
    verdicts: inout MutableSpan<UInt8>, method: KeyMethod = .automatic
  ) {
    var signatureCount = 0
    for index in counts.indices { signatureCount += Int(counts[index]) }
    precondition(keys.count == counts.count * curve.keyBytes)
    precondition(signatures.count == signatureCount * curve.signatureBytes)
    precondition(verdicts.count == signatureCount)
    unsafe keys.withUnsafeBufferPointer { keys in
      unsafe counts.withUnsafeBufferPointer { counts in
        unsafe signatures.withUnsafeBufferPointer { signatures in
          unsafe verdicts.withUnsafeMutableBufferPointer { verdicts in
            var batch = unsafe sb_batch(
              keys: keys.baseAddress, key_count: counts.count, counts: counts.baseAddress,
              signatures: signatures.baseAddress, verdicts: verdicts.baseAddress)
            unsafe sb_verify(handle, &batch, method.code)
          }
        }
      }
    }
  }

  /// Judges signatures of one key that has tables; fastest with hundreds at a time.
  ///
  /// - Parameters:
  ///   - key: Made for the same ``BaseTables``' curve and arithmetic.
  ///   - signatures: The curve's `signatureBytes` for each.
  ///   - verdicts: The raw value of a `BatchVerdict` for each signature.
  package mutating func verify(
    by key: KeyTables, signatures: Span<UInt8>, verdicts: inout MutableSpan<UInt8>
  ) {
    precondition(key.curve == curve)
    precondition(signatures.count == verdicts.count * curve.signatureBytes)
    let count = verdicts.count
    unsafe signatures.withUnsafeBufferPointer { signatures in
      unsafe verdicts.withUnsafeMutableBufferPointer { verdicts in
        unsafe sb_verify_by_tables(
          handle, key.handle, signatures.baseAddress, count, verdicts.baseAddress)
      }
    }
    withExtendedLifetime(key) {}
  }
}

/// The verdict of a batch on one signature.
package enum BatchVerdict: UInt8, Sendable {
  /// The signature is invalid.
  case invalid = 0
  /// The signature holds.
  case valid = 1
  /// The signature is not decided: the key is no point of the curve, or an addition on the way had
  /// no affine formula, which only chosen numbers bring about. Another implementation has to
  /// decide. A signature may be crafted to come here and yet be valid.
  case undecided = 2
}
