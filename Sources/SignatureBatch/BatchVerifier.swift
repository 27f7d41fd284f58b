internal import CSignatureBatch

/// A verifier of many ECDSA signatures over one curve (FIPS 186-5, 6.4.2) at once, for public data
/// only, and one worker, with all its memory. `@unchecked Sendable`: that belongs to this value
/// alone, which cannot be copied.
@safe package struct BatchVerifier: ~Copyable, @unchecked Sendable {
  package let curve: SignatureCurve
  /// Bytes this verifier holds, beside the shared tables.
  package let arenaBytes: Int

  /// The tables that the handle points to, which are kept alive by this property.
  private let tables: BaseTables
  private let handle: OpaquePointer

  /// Makes a verifier, or nil without memory. `arenaBytes` is at least `leastArenaBytes`, or else
  /// `bestArenaBytes`; below `leastArenaBytesForKeys` some signatures may be left undecided.
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

  /// Judges all signatures, `signatureBytes` each, of keys, `keyBytes` each, with `counts` for
  /// each; fastest with thousands. A key that is no point leaves them undecided, an r or s that is
  /// 0 or n or more is invalid. `verdicts` gets raw values of `BatchVerdict`; `method` is for
  /// tests.
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

  /// Judges signatures, `signatureBytes` each, of one key with tables of the same curve and
  /// arithmetic; fastest with hundreds. `verdicts` gets raw values of `BatchVerdict`.
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
  /// Another implementation has to decide: the key is no point, or an addition had no affine
  /// formula. A signature may be crafted to come here and yet be valid.
  case undecided = 2
}
