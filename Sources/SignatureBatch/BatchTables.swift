internal import CSignatureBatch

/// Multiples of a curve's base point, made once and shared by all workers.
///
/// `@unchecked Sendable`: nothing writes to the tables after `init`.
@safe package final class BaseTables: @unchecked Sendable {
  package let curve: SignatureCurve
  /// The arithmetic that can use them.
  package let arithmetic: BatchArithmetic
  /// Bytes held.
  package let byteCount: Int

  /// The bits of a digit where keys have few signatures each.
  package static let usualWidth = 12

  let handle: OpaquePointer

  /// Makes the tables, in some ten milliseconds, or nil if memory is out or the processor does not
  /// have the arithmetic.
  ///
  /// - Parameter width: Bits of a digit, 4 to 14. Each signature takes one addition of a multiple
  ///   for each digit of a number; 12 bits take 2.8 MiB for P-256, and each bit more nearly twice
  ///   as much.
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
  package var leastArenaBytes: Int {
    sb_verifier_least_arena(curve.code, arithmetic.code)
  }

  /// The least arena of a verifier that judges any keys, in bytes.
  package var leastArenaBytesForKeys: Int {
    sb_verifier_least_arena_for_keys(curve.code, arithmetic.code)
  }

  /// The arena with which a verifier is fastest, in bytes.
  package var bestArenaBytes: Int {
    sb_verifier_best_arena(curve.code, arithmetic.code)
  }
}

/// Multiples of one key that very many signatures are verified under; see ``BaseTables``.
///
/// `@unchecked Sendable`: nothing writes to the tables after `init`.
@safe package final class KeyTables: @unchecked Sendable {
  package let curve: SignatureCurve
  /// Bytes held.
  package let byteCount: Int

  /// The bits of a digit of a key that signs many certificates or receipts. One more saves some 5 %
  /// of a signature's time, and nearly doubles the tables.
  package static let usualWidth = 9

  let handle: OpaquePointer

  /// Makes the tables of a key, in a millisecond or a few, or nil if memory is out, or where the key
  /// is no point of the curve.
  ///
  /// - Parameters:
  ///   - key: The curve's `keyBytes`.
  ///   - width: Bits of a digit, 4 to 14.
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
