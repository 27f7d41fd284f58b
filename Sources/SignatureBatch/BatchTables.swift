internal import CSignatureBatch

/// Multiples of a curve's base point, for all workers. `@unchecked Sendable`: never written again.
@safe package final class BaseTables: @unchecked Sendable {
  package let curve: SignatureCurve
  /// The arithmetic that can use them.
  package let arithmetic: BatchArithmetic
  /// Bytes held.
  package let byteCount: Int

  /// The bits of a digit where keys have few signatures each.
  package static let usualWidth = 12

  let handle: OpaquePointer

  /// Makes the tables, in some ten milliseconds, or nil without memory or arithmetic. `width` is
  /// the bits of a digit, 4 to 14: with 12 they take 2.8 MiB for P-256, and nearly twice as much
  /// for each more.
  package init?(curve: SignatureCurve, arithmetic: BatchArithmetic, width: Int = usualWidth) {
    precondition((Int(SB_NARROWEST_TABLES)...Int(SB_WIDEST_TABLES)).contains(width))
    guard let handle = unsafe sb_tables_create(curve.code, arithmetic.code, UInt32(width)) else {
      return nil
    }
    unsafe self.handle = handle
    self.curve = curve
    self.arithmetic = arithmetic
    byteCount = unsafe sb_tables_bytes(handle)
  }

  deinit {
    unsafe sb_tables_destroy(handle)
  }

  /// The least arena of a verifier that judges by ``KeyTables`` only, in bytes.
  package var leastArenaBytes: Int { unsafe sb_verifier_least_arena(handle, false) }

  /// The least arena of a verifier that judges any keys, in bytes.
  package var leastArenaBytesForKeys: Int { unsafe sb_verifier_least_arena(handle, true) }

  /// The arena with which a verifier is fastest, in bytes.
  package var bestArenaBytes: Int { unsafe sb_verifier_best_arena(handle) }
}

/// Multiples of a key of very many signatures. `@unchecked Sendable`: never written again.
@safe package final class KeyTables: @unchecked Sendable {
  package let curve: SignatureCurve
  /// Bytes held.
  package let byteCount: Int

  /// The bits of a digit of such a key. One more saves some 5 %, and nearly doubles the tables.
  package static let usualWidth = 9

  let handle: OpaquePointer

  /// Makes the tables of a key, the curve's `keyBytes`, in a millisecond or a few, with digits of 4
  /// to 14 bits, or nil without memory or for no point.
  package init?(of key: Span<UInt8>, for base: BaseTables, width: Int = usualWidth) {
    precondition((Int(SB_NARROWEST_TABLES)...Int(SB_WIDEST_TABLES)).contains(width))
    precondition(key.count == base.curve.keyBytes)
    let handle = unsafe key.withUnsafeBufferPointer { key -> OpaquePointer? in
      guard let start = key.baseAddress else { return nil }
      return unsafe sb_tables_create_of_key(base.handle, UInt32(width), start)
    }
    guard let handle = unsafe handle else { return nil }
    unsafe self.handle = handle
    curve = base.curve
    byteCount = unsafe sb_tables_bytes(handle)
  }

  deinit {
    unsafe sb_tables_destroy(handle)
  }
}
